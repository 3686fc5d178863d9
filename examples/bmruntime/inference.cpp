// Runs a bmodel: registers it, prints its description, and for every variety sets the input shape,
// sets the input and prints the outputs.
//
//   inference MODEL.bmodel
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>
#include <stdint.h>
#include <stdio.h>
#include <tputwin/error.h>

#include <algorithm>
#include <vector>

namespace {

// q = x * 128 / threshold, rounded and clamped; x = q * threshold / 128.
int8_t quantize(float x, float threshold) {
  return (int8_t)std::min(127, std::max(-128, (int)(x * 128 / threshold + 0.5f)));
}
float dequantize(int8_t q, float threshold) { return q * threshold / 128; }

size_t count_of(const shape_t& s) { return (size_t)s.n * s.c * s.h * s.w; }

// Returns a flat image: all values of channel c are (c + 1) / 4.
std::vector<uint8_t> make_input(const shape_t& shape, float threshold) {
  std::vector<uint8_t> input(count_of(shape));
  for (size_t i = 0; i < input.size(); i++) {
    size_t channel = i / (shape.h * shape.w) % shape.c;
    input[i] = (uint8_t)quantize(0.25f * (float)(channel + 1), threshold);
  }
  return input;
}

void print_outputs(const bmnet_output_info_t& info, const std::vector<uint8_t>& bytes) {
  size_t at = 0;
  for (size_t o = 0; o < info.output_num; o++) {
    const shape_t& s = info.shape_array[o];
    printf("  %s (%u,%u,%u,%u):", info.name_array[o], s.n, s.c, s.h, s.w);
    for (size_t i = 0; i < std::min<size_t>(count_of(s), 8); i++)
      printf(" %.3f", (double)dequantize((int8_t)bytes[at + i], info.threshold_array[o]));
    printf("\n");
    at += info.size_array[o];
  }
}

bool run_variety(bmnet_t net, const bmnet_input_info_t& variety) {
  const shape_t shape = variety.shape_array[0];
  if (bmnet_set_input_shape(net, shape) != BM_SUCCESS) return false;
  bmnet_output_info_t info;
  if (bmnet_get_output_info(net, &info) != BM_SUCCESS) return false;
  std::vector<uint8_t> input = make_input(shape, variety.threshold_array[0]);
  std::vector<uint8_t> output(info.output_size);
  if (bmnet_inference(net, input.data(), output.data()) != BM_SUCCESS) return false;
  printf("input (%u,%u,%u,%u)\n", shape.n, shape.c, shape.h, shape.w);
  print_outputs(info, output);
  return true;
}

bool run_model(bmctx_t ctx, const char* path) {
  bmnet_t net;
  if (bmnet_register_bmodel(ctx, path, &net) != BM_SUCCESS) return false;
  const bmnet_model_info_t* model = bmnet_get_model_info(net);
  printf("%s: chip %u, %u varieties\n", model->net_name, model->chip, model->command_num);
  bool ok = true;
  for (uint32_t v = 0; ok && v < model->command_num; v++)
    ok = run_variety(net, model->input_info_array[v]);
  bmnet_cleanup(net);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: inference MODEL.bmodel\n");
    return 2;
  }
  bmctx_t ctx;
  bool ok = bm_init(0, &ctx) == BM_SUCCESS && run_model(ctx, argv[1]);
  if (!ok) fprintf(stderr, "inference: %s\n", tputwin_last_error());
  bm_exit(ctx);
  return ok ? 0 : 1;
}

// make demo: ResNet-50 in int8, one image at a time, on the simulated BM1880, and the predicted
// time on the chip itself; prints which is faster.
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>
#include <stdio.h>
#include <tputwin/error.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "progress.h"
#include "resnet.h"

namespace {

const int kFirst = 5, kRuns = 40;  // the first runs prepare

int fail(const std::string& reason) {
  fprintf(stderr, "demo_resnet: %s\n", reason.c_str());
  return 1;
}

// Returns sorted times; empty if a call of the runtime failed.
std::vector<double> times_of_runs(bmctx_t ctx, ResNet& net) {
  bmnet_t handle;
  std::vector<double> times;
  if (bmnet_register_bmodel_data(ctx, net.bmodel.data(), net.bmodel.size(), &handle) != BM_SUCCESS)
    return times;
  bmnet_output_info_t out;
  const bmnet_input_info_t* in = bmnet_get_input_info(handle);
  bmnet_set_input_shape(handle, in->shape_array[0]);
  bmnet_get_output_info(handle, &out);
  std::vector<uint8_t> image(in->input_size), scores(out.output_size);
  std::minstd_rand random;
  for (size_t i = 0; i < image.size(); i++) image[i] = (uint8_t)random();
  for (int run = 0; run < kFirst + kRuns; run++) {
    const double start = seconds();
    if (bmnet_inference(handle, image.data(), scores.data()) != BM_SUCCESS) {
      times.clear();
      break;
    }
    if (run >= kFirst) times.push_back(1e3 * (seconds() - start));
  }
  bmnet_cleanup(handle);
  std::sort(times.begin(), times.end());
  return times;
}

void print(const ResNet& net, const std::vector<double>& times) {
  const double simulated = times[times.size() / 2];
  printf("ResNet-50 in int8, random weights, one image: %zu instructions, %.2f GMAC\n",
         net.instructions, net.macs / 1e9);
  printf("  BM1880 at 1 GHz, predicted: %.1f ms\n", net.chip_ms);
  printf("  tputwin on this host: %.1f ms, median of %zu runs (fastest %.1f)\n", simulated,
         times.size(), times[0]);
  if (simulated <= net.chip_ms)
    printf("tputwin is faster than the chip: it takes %.2f of its time\n", simulated / net.chip_ms);
  else
    printf("the chip is faster: on this host tputwin takes %.2f times as long\n",
           simulated / net.chip_ms);
}

}  // namespace

int main(int argc, char** argv) {
  ResNet net;
  std::string reason;
  if (!make_resnet(argc > 1 ? argv[1] : DEMO_PLUGINS, net, reason)) return fail(reason);
  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return fail(tputwin_last_error());
  const std::vector<double> times = times_of_runs(ctx, net);
  const std::string error = times.empty() ? tputwin_last_error() : "";
  bm_exit(ctx);
  if (times.empty()) return fail(error);
  print(net, times);
  return 0;
}

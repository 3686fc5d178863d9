// Compiles a tiny network by hand and writes it as a bmodel: a 3x3 convolution that weighs three
// colour channels into four scores, averaged over the whole image. Two varieties: 8x8 and 16x16.
//
//   write_bmodel FILE
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <stdio.h>
#include <string.h>
#include <tputwin/error.h>
#include <libbmodel/bmodel.hpp>

#include <string>
#include <vector>

namespace {

const int kIn = 3, kOut = 4, kTaps = 9;
const u64 kBiasOffset = kOut * kTaps * kIn;  // in the weight blob

// Each output is 9 taps of one weight per channel; 14 * 9 is close to 2^7.
const int8_t kMix[kOut][kIn] = {{14, 0, 0}, {0, 14, 0}, {0, 0, 14}, {5, 5, 5}};

std::string make_weights() {
  std::string blob;
  for (int oc = 0; oc < kOut; oc++)
    for (int tap = 0; tap < kTaps; tap++)
      for (int ic = 0; ic < kIn; ic++) blob += (char)kMix[oc][ic];
  blob.append(2 * kOut, '\0');  // bias: low bytes, high bytes
  return blob;
}

// avg_pooling multiplies by an 8-bit constant and shifts: count * constant / 2^shift is about 1.
struct Divisor {
  int constant, shift;
};
Divisor divide_by(int count) {
  Divisor d = {1, 0};
  while ((((1 << (d.shift + 1)) + count / 2) / count) <= 255) d.shift++;
  d.constant = ((1 << d.shift) + count / 2) / count;
  return d;
}

// Records the network for images of `side` x `side`. Addresses are offsets in neuron or weight
// memory; the runtime adds the base addresses.
void record(bmk1880_context_t* bk, int side, u64 output_offset) {
  const int conv_side = side - 2;
  tensor_lmem* weight = bmk1880_tl_alloc(bk, shape_t4(1, kOut, kTaps, kIn), FMT_I8, CTRL_NULL);
  tensor_lmem* bias = bmk1880_tl_alloc(bk, shape_t4(2, kOut, 1, 1), FMT_I8, CTRL_NULL);
  tensor_lmem* in = bmk1880_tl_alloc(bk, shape_t4(1, kIn, side, side), FMT_I8, CTRL_AL);
  tensor_lmem* map = bmk1880_tl_alloc(bk, shape_t4(1, kOut, conv_side, conv_side), FMT_I8, CTRL_AL);
  tensor_lmem* out = bmk1880_tl_alloc(bk, shape_t4(1, kOut, 1, 1), FMT_I8, CTRL_AL);
  bmk1880_gdma_load(bk, weight, 0, CTRL_WEIGHT);
  bmk1880_gdma_load(bk, bias, kBiasOffset, CTRL_WEIGHT);
  bmk1880_gdma_load(bk, in, 0, CTRL_NEURON);
  tl_reshape(weight, shape_t4(kIn, kOut, 3, 3));

  bmk1880_conv_param_t conv;
  memset(&conv, 0, sizeof conv);
  conv.ofmap = map;
  conv.ifmap = in;
  conv.weight = weight;
  conv.bias = bias;
  conv.stride_h = conv.stride_w = conv.dilation_h = conv.dilation_w = 1;
  conv.rshift_width = 7;
  bmk1880_tpu_conv(bk, &conv);

  const Divisor divisor = divide_by(conv_side * conv_side);
  bmk1880_avg_pooling_param_t pool;
  memset(&pool, 0, sizeof pool);
  pool.ofmap = out;
  pool.ifmap = map;
  pool.kh = pool.kw = (u8)conv_side;
  pool.stride_h = pool.stride_w = 1;
  pool.avg_pooling_const = (u8)divisor.constant;
  pool.rshift_width = divisor.shift;
  bmk1880_tpu_avg_pooling(bk, &pool);
  bmk1880_gdma_store(bk, out, output_offset, CTRL_NEURON);
}

void add_variety(bmodel::Model& model, int side) {
  const u64 input_bytes = (u64)kIn * side * side;
  std::vector<u8> buffer(1 << 16);
  bmk1880_info_t info;
  info.chip_version = 1880;
  info.cmdbuf_size = (u32)buffer.size();
  info.cmdbuf = buffer.data();
  bmk1880_context_t* bk = bmk1880_register(&info);
  record(bk, side, input_bytes);
  u32 size = 0;
  const u8* commands = bmk1880_acquire_cmdbuf(bk, &size);

  bmodel::Command* command = model.add_command();
  command->set_cmdbuf(commands, size);
  command->set_neuron_size(input_bytes + kOut);
  bmodel::Input* input = command->add_input();
  for (int extent : {1, kIn, side, side}) input->mutable_shape()->add_dim((u32)extent);
  input->set_threshold(1.0f);
  input->set_fmt(FMT_I8);
  bmodel::Output* output = command->add_output();
  output->set_name("scores");
  for (int extent : {1, kOut, 1, 1}) output->mutable_shape()->add_dim((u32)extent);
  output->set_offset(input_bytes);
  output->set_threshold(1.0f);
  output->set_fmt(FMT_I8);
  bmk1880_cleanup(bk);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: write_bmodel FILE\n");
    return 2;
  }
  bmodel::Model model;
  model.set_net_name("tiny");
  model.set_chip(1880);
  model.set_fmt(FMT_I8);
  model.add_weight(make_weights());
  add_variety(model, 8);
  add_variety(model, 16);
  if (bmodel::save(model, argv[1]) != BM_SUCCESS) {
    fprintf(stderr, "write_bmodel: %s\n", tputwin_last_error());
    return 1;
  }
  printf("write_bmodel: %s, %d varieties\n", argv[1], model.command_size());
  return 0;
}

// conv2d_bm1684x_float: 2-D convolution of fp32, fp16 or bf16 over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32: the products in * weight, in the order ic, kh, kw, alternate between two accumulators.
// These start as 0 and bias(oc), or with `accumulate` as bias(oc) and the old out. The result is
// their sum.
// fp16, bf16: acc = bias(oc); with `accumulate` acc += old out; then for each group of 32 input
// channels, for kh, kw: acc += add_tree(the products of the group).
// Taps in the padding add padding * weight; those in inserted rows and columns insertion * weight.
struct Conv2dBm1684xFloat {
  TensorView out;  // fp32, or the type of the input
  TensorView in;
  Source weight;                        // or one number of the type of the input
  std::optional<TensorView> bias;       // fp32 (1,OC,1,1)
  uint32_t constant_bias = 0;           // used without `bias`, fp32 bits
  uint32_t padding = 0, insertion = 0;  // bits of the type of in
  Window window;
  bool is_rotated = false;  // rotates the kernel by 180 degrees
  bool accumulate = false;  // fp32 results only
};

TW_OPERATION(Conv2dBm1684xFloat);
// Returns one result before it is rounded to the type of out.
float result_at(const Conv2dBm1684xFloat&, const Memory&, uint32_t n, uint32_t oc, uint32_t y,
                uint32_t x);

}  // namespace tputwin

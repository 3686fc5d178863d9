// conv2d_bm1684x_int8: 2-D convolution of 8-bit integers with zero points over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// acc = sum over ic,kh,kw of value * (weight(oc,ic,kh,kw) - zero_point(oc)) + bias(oc), + the old
// out with `accumulate`. value is in(n,ic,..), padding(ic) around the input, and insertion(ic) in
// inserted rows and columns.
// if relu: acc = max(acc, 0);  out = saturate(acc / 2^rshift rounded half up); 32-bit results are
// acc modulo 2^32.
struct Conv2dBm1684xInt8 {
  TensorView out, in;
  Source weight;                          // or one 8-bit number
  std::optional<TensorView> bias;         // 16-bit (1,OC,1,1)
  int32_t constant_bias = 0;              // used without `bias`, 16 bits
  Source zero_point = Source::value(0u);  // (1,OC,1,1) or one 8-bit number
  Source padding = Source::value(0u),
         insertion = Source::value(0u);  // (1,IC,1,1) or one 8-bit number
  Window window;
  uint32_t rshift = 0;
  bool relu = false;
  bool is_rotated = false;  // rotates the kernel by 180 degrees
  bool accumulate = false;  // 32-bit results only
};

TW_OPERATION(Conv2dBm1684xInt8);
// Returns one accumulator before ReLU, shift and saturation.
int64_t accumulator_at(const Conv2dBm1684xInt8&, const Memory&, uint32_t n, uint32_t oc, uint32_t y,
                       uint32_t x);

}  // namespace tputwin

// depthwise2d_bm1684x_int8: one filter of 8-bit integers per channel.
#pragma once

#include <optional>

#include "numerics/rounding.h"
#include "ops/contract/contract.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin {

// acc = sum over kh,kw of value * weight(c,kh,kw) + bias(c). value is in(n,c,..), padding(c) around
// the input, and insertion(c) in inserted rows and columns.
// if relu: acc = max(acc, 0);  out = saturate(acc / 2^rshift, rounded)
struct Depthwise2dBm1684xInt8 {
  TensorView out, in;
  Source weight;                   // (1,C,KH,KW) or one 8-bit number
  std::optional<TensorView> bias;  // 32-bit (1,C,1,1)
  int64_t constant_bias = 0;       // used without `bias`, 32 bits
  Source padding = Source::value(0u),
         insertion = Source::value(0u);  // (1,C,1,1) or one 8-bit number
  Window window;
  uint32_t rshift = 0;
  bool relu = false;
  bool is_rotated = false;  // rotates the kernel by 180 degrees
  Rounding rounding = Rounding::half_up;
};

TW_OPERATION(Depthwise2dBm1684xInt8);
int64_t bias_at(const Depthwise2dBm1684xInt8&, const Memory&, uint32_t c);

}  // namespace tputwin

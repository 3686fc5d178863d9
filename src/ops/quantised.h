// How 8-bit convolutions and pools of the BM1684X end.
#pragma once

#include "numerics/rounding.h"

namespace tputwin {

// acc / 2^rshift, rounded, as the type of the result holds it: saturated.
constexpr int32_t quantised(int64_t acc, bool relu, uint32_t rshift, Rounding rounding,
                            DType dtype) {
  if (relu && acc < 0) acc = 0;
  return saturate(shift_right(acc, rshift, rounding), dtype);
}

}  // namespace tputwin

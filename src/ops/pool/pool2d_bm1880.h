// pool2d_bm1880: maximum or scaled sum of 8-bit integers over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// maximum: out = max over the window, padding counts as the smallest value of the type
// average: out = saturate(round_shift(sum over the window * multiplier, rshift)), padding counts 0
// The result has the type of the input.
struct Pool2dBm1880 {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  // No dilation; zero insertion for average only.
  Window window;
  uint32_t multiplier = 1;  // average: unsigned 8-bit constant
  uint32_t rshift = 0;      // average
};

TW_OPERATION(Pool2dBm1880);

}  // namespace tputwin

// pool2d_bm1684x_int8: maximum or scaled sum of 8-bit integers over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// maximum: the largest value of the window.
// average: out = saturate(sum over the window * multiplier / 2^rshift rounded half up).
struct Pool2dBm1684xInt8 {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;
  int32_t padding = 0, insertion = 0;  // values of the elements there
  uint32_t multiplier = 1;             // average: unsigned 8-bit constant
  uint32_t rshift = 0;                 // used by average
};

TW_OPERATION(Pool2dBm1684xInt8);

}  // namespace tputwin

// pool2d_bm1684_int8: maximum of packed bytes over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// The largest of -128, or 0 of unsigned bytes, and the elements under the window; what it reaches
// outside the input, or between inserted rows, adds nothing.
// relu: results whose highest bit is 1 become 0, of both types.
struct Pool2dBm1684Int8 {
  TensorView out, in;  // 4N
  Window window;
  bool relu = false;
};

TW_OPERATION(Pool2dBm1684Int8);

}  // namespace tputwin

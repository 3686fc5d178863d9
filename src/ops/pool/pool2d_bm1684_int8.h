// pool2d_bm1684_int8: maximum of packed bytes over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// The largest of the elements under the window and -128 (0 for unsigned bytes). Taps outside the
// input or on inserted rows do not count.
// relu: results whose highest bit is 1 become 0, for both types.
struct Pool2dBm1684Int8 {
  TensorView out, in;  // 4N
  Window window;
  bool relu = false;
};

TW_OPERATION(Pool2dBm1684Int8);

}  // namespace tputwin

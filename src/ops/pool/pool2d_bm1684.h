// pool2d_bm1684: maximum or mean of fp32 over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32. maximum: over the taps inside the input, flushed, starting from the lowest finite number,
// which NaN and -inf do not exceed.
// average: sum of in * (1 / (KH * KW)), added as WindowSum does; taps in the padding add 0.
struct Pool2dBm1684 {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;  // no dilation, no zero insertion
};

TW_OPERATION(Pool2dBm1684);
// What an average multiplies each element of the window by.
float share_of(const Window& window);
// One result, which execute() stores.
float result_at(const Pool2dBm1684&, const Memory&, uint32_t n, uint32_t c, uint32_t y, uint32_t x);

}  // namespace tputwin

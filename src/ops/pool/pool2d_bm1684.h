// pool2d_bm1684: maximum or mean of fp32 over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32. maximum: over the taps inside the input, flushed. It starts from the lowest finite number,
// which NaN and -inf do not exceed.
// average: sum of in * factor, added in the order of WindowSum; taps in the padding add 0 * factor.
struct Pool2dBm1684 {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;  // no dilation
  // Factor of an average: share_of(window), unless a compiler chose another.
  float factor = 0.0f;
};

TW_OPERATION(Pool2dBm1684);
// Returns 1 / (KH * KW).
float share_of(const Window& window);
// Returns one result, as execute() stores it.
float result_at(const Pool2dBm1684&, const Memory&, uint32_t n, uint32_t c, uint32_t y, uint32_t x);

}  // namespace tputwin

// pool2d_bm1684x_float: maximum or weighted sum of fp32, fp16 or bf16 over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// maximum: m = the lowest finite number; for each tap v: m = m > v ? m : v. The last of equal
// values stays, and the next value replaces a NaN. Bits are copied; only fp32 results are flushed.
// average: the products in * factor alternate between two accumulators, which start as -0. The
// result is their sum. fp16 and bf16 round every product and every sum to the type.
struct Pool2dBm1684xFloat {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;
  // Bits of the type of in.
  uint32_t factor = 0;                  // used by average
  uint32_t padding = 0, insertion = 0;  // values of the elements there
};

TW_OPERATION(Pool2dBm1684xFloat);
// Returns the bits of one result, as execute() stores them.
uint32_t result_at(const Pool2dBm1684xFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                   uint32_t x);

}  // namespace tputwin

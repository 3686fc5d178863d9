// pool2d_bm1684x_float: maximum or weighted sum of fp32, fp16 or bf16 over a window.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// maximum: m = the lowest finite number; for each tap v: m = m > v ? m : v, so that of equal values
// the last one stays, and a NaN gives way to what follows it. Bits are moved; only fp32 results are
// flushed. average: the products in * factor go to two accumulators in turn, which start as -0; the
// result is their sum. fp16 and bf16 round every product and every sum to the type.
struct Pool2dBm1684xFloat {
  enum class Kind : uint8_t { maximum, average };
  Kind kind = Kind::maximum;
  TensorView out, in;
  Window window;
  // Bits of the type of in.
  uint32_t factor = 0;                  // average
  uint32_t padding = 0, insertion = 0;  // what elements there count as
};

TW_OPERATION(Pool2dBm1684xFloat);
// The bits of one result, which execute() stores.
uint32_t result_at(const Pool2dBm1684xFloat&, const Memory&, uint32_t n, uint32_t c, uint32_t y,
                   uint32_t x);

}  // namespace tputwin

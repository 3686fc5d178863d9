// How weighted sums of windows end, as the vector bodies take it.
#pragma once

#include "ops/fast/window/byte_rows.h"

namespace tputwin::fast {

// out(x) = clamp(round_shift(start + sum over taps of in[x] * weights[number], rshift)), in 32
// bits.
struct WeightedSum {
  std::vector<int32_t> weights;  // by number of tap
  int32_t start = 0;
  int rshift = 0;
  int32_t low = 0, high = 0;  // of the clamp
};

}  // namespace tputwin::fast

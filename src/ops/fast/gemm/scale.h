// How sums of products of a quantized channel become elements.
#pragma once

#include <cstdint>

#include "numerics/rounding.h"

namespace tputwin::fast {

// Shifts that are done in vectors.
constexpr int32_t kLeastRight = 32, kMostRight = 62;

// clamp(round(sum * multiplier / 2^right) + offset), kLeastRight <= right <= kMostRight
struct Scale {
  int32_t multiplier, right, offset;
  Rounding rounding;
  int32_t low, high;
};

}  // namespace tputwin::fast

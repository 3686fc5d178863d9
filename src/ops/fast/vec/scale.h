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

// Makes a scale one that is done in vectors: a shift that is too short becomes longer, if the
// multiplier has room for the difference. False: it is left as it is.
constexpr bool fit_vectors(Scale& scale) {
  if (scale.right >= kLeastRight) return scale.right <= kMostRight;
  if (scale.right < 0) return false;
  const int32_t more = kLeastRight - scale.right;
  const int64_t multiplier = int64_t{scale.multiplier} * (int64_t{1} << more);
  if (multiplier != static_cast<int32_t>(multiplier)) return false;
  scale.multiplier = static_cast<int32_t>(multiplier);
  scale.right = kLeastRight;
  return true;
}

}  // namespace tputwin::fast

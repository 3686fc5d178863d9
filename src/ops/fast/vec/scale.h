// The scale that converts sums of products of a quantized channel to elements.
#pragma once

#include <cstdint>

#include "numerics/rounding.h"

namespace tputwin::fast {

// Range of shifts that vectors can do.
constexpr int32_t kLeastRight = 32, kMostRight = 62;

// clamp(round(sum * multiplier / 2^right) + offset), kLeastRight <= right <= kMostRight
struct Scale {
  int32_t multiplier, right, offset;
  Rounding rounding;
  int32_t low, high;
};

// Adapts a scale to what vectors can do: a shift that is too short becomes longer, if the
// multiplier does not overflow. Returns false if that fails; the scale is then unchanged.
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

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

// Returns true if fp32 may find bytes of a scale, except near ties: it rounds to the nearest, and
// a byte depends only on numbers of at most 512 before the offset. The scale must fit vectors, so
// that scaled sums stay below 2^31.
constexpr bool can_be_approximated(const Scale& scale) {
  constexpr int32_t kMostOffset = 256;
  const bool is_nearest =
      scale.rounding == Rounding::half_up || scale.rounding == Rounding::half_even ||
      scale.rounding == Rounding::half_away || scale.rounding == Rounding::half_down;
  const bool is_byte = (scale.low == 0 && scale.high == 255) ||
                       (scale.low == -128 && scale.high == 127);  // packing limits to these
  return is_nearest && is_byte && -kMostOffset <= scale.offset && scale.offset <= kMostOffset;
}

}  // namespace tputwin::fast

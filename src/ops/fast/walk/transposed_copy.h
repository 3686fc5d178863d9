// Copies in which elements that lie side by side on one side lie apart on the other.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/memory.h"

namespace tputwin::fast {

// The axes, 0 to 3 being n, c, h, w, along which the elements of either side lie side by side, if
// these are two: runs along either would be single elements on the other side.
struct CrossingAxes {
  size_t dst, src;
};
std::optional<CrossingAxes> crossing_axes(const TensorView& dst, const TensorView& src);

// dst = src, of one shape and element size, tile by tile, in any order.
void copy_transposed(const TensorView& dst, const TensorView& src, const CrossingAxes& axes,
                     const Memory& memory);

}  // namespace tputwin::fast

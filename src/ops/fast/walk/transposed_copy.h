// Copies in which elements that are contiguous on one side are strided on the other.
#pragma once

#include <cstddef>
#include <optional>

#include "memory/memory.h"

namespace tputwin::fast {

// The axes, 0 to 3 for n, c, h, w, along which the elements of each side are contiguous, if they
// differ. Runs along either axis would be single elements on the other side.
struct CrossingAxes {
  size_t dst, src;
};
std::optional<CrossingAxes> crossing_axes(const TensorView& dst, const TensorView& src);

// Copies src to dst, of one shape and element size, tile by tile in any order.
void copy_transposed(const TensorView& dst, const TensorView& src, const CrossingAxes& axes,
                     const Memory& memory);

}  // namespace tputwin::fast

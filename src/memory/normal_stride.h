// Normal strides: views that reach the same elements get the same strides.
#pragma once

#include "memory/tensor_view.h"

namespace tputwin {

// Sets the stride of each dimension with one element to 0, because it has no meaning. Channels of
// local memory count by rounds over the lanes, of which there are `channel_rounds`.
template <class Strides>
constexpr void drop_meaningless(Strides& stride, const Shape& cells, uint64_t channel_rounds) {
  if (cells.n == 1) stride.n = 0;
  if (channel_rounds == 1) stride.c = 0;
  if (cells.h == 1) stride.h = 0;
  if (cells.w == 1) stride.w = 0;
}

}  // namespace tputwin

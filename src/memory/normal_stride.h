// normal_stride: views that reach the same elements have the same strides.
#pragma once

#include "memory/tensor_view.h"

namespace tputwin {

// A stride of a dimension with one element means nothing, whatever it is: it becomes 0. Of channels
// of local memory it counts how often they go once around the lanes (`channel_turns`).
template <class Strides>
constexpr void drop_meaningless(Strides& stride, const Shape& cells, uint64_t channel_turns) {
  if (cells.n == 1) stride.n = 0;
  if (channel_turns == 1) stride.c = 0;
  if (cells.h == 1) stride.h = 0;
  if (cells.w == 1) stride.w = 0;
}

}  // namespace tputwin

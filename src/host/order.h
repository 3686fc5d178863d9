// The sort order of PyTorch: NaN is greater than all other values and equal to itself, and -0
// equals 0. Equal values keep their order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "host/array.h"

namespace tputwin::host {

template <class T>
bool is_nan([[maybe_unused]] T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

template <class T>
bool is_less(T a, T b) {
  return is_nan(b) ? !is_nan(a) : a < b;  // a < b is false where a is NaN
}

// Returns the positions that sort `count` values, which are `step` elements apart.
template <class T>
std::vector<int64_t> sorted_positions(const T* values, int64_t count, int64_t step,
                                      bool descending) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    const T first = values[a * step], second = values[b * step];
    return descending ? is_less(second, first) : is_less(first, second);
  });
  return order;
}

// Calls function(in, out) for each line along the axis. `in` is the offset of the line's first
// element in the array; `out` is that in an array with `kept` elements per line. An axis without
// elements has no lines.
template <class Function>
void for_each_line(const AxisView& view, int64_t kept, const Function& function) {
  if (view.extent == 0) return;
  for (int64_t outer = 0; outer < view.outer; ++outer)
    for (int64_t inner = 0; inner < view.inner; ++inner)
      function(outer * view.extent * view.inner + inner, outer * kept * view.inner + inner);
}

}  // namespace tputwin::host

// Shapes of the host's arrays.
#include "host/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tputwin::host {
namespace {

int64_t product(const Shape& shape, size_t begin, size_t end) {
  int64_t result = 1;
  for (size_t i = begin; i < end; ++i) result *= shape[i];
  return result;
}

}  // namespace

int64_t count(const Shape& shape) { return product(shape, 0, shape.size()); }

bool fits(const Shape& shape, int64_t capacity) {
  int64_t others = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(others, std::max<int64_t>(extent, 1), &others))
      return false;
  return shape.size() <= kMaxRank && others <= capacity;
}

std::string describe(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ",")); }

AxisView view_axis(const Shape& shape, size_t axis) {
  return {product(shape, 0, axis), shape[axis], product(shape, axis + 1, shape.size())};
}

}  // namespace tputwin::host

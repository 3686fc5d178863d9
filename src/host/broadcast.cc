// Broadcasting of shapes.
#include "host/broadcast.h"

#include <algorithm>

namespace tputwin::host {

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (const Shape* shape : {&a, &b})
    for (size_t i = 0; i < shape->size(); ++i) {
      int64_t& extent = result[result.size() - 1 - i];
      const int64_t own = (*shape)[shape->size() - 1 - i];
      if (own == extent || own == 1) continue;
      if (extent != 1) return std::nullopt;
      extent = own;
    }
  return result;
}

std::vector<size_t> broadcast_offsets(const Shape& from, const Shape& to) {
  Shape strides(to.size(), 0), at(to.size(), 0);
  int64_t stride = 1;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t extent = from[from.size() - 1 - i];
    if (extent != 1) strides[to.size() - 1 - i] = stride;
    stride *= extent;
  }
  std::vector<size_t> offsets(static_cast<size_t>(count(to)));
  for (size_t& offset : offsets) {
    for (size_t i = 0; i < at.size(); ++i) offset += static_cast<size_t>(at[i] * strides[i]);
    for (size_t i = at.size(); i-- > 0 && ++at[i] == to[i];) at[i] = 0;
  }
  return offsets;
}

}  // namespace tputwin::host

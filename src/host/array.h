// Arrays that host operators work on: dense fp32 or int32 elements.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tputwin::host {

// Extents of at most kMaxRank axes. 0 is allowed, because an operator may find no elements.
using Shape = std::vector<int64_t>;
inline constexpr size_t kMaxRank = 8;

enum class Type : uint8_t { f32, i32 };

struct Array {
  Shape shape;
  std::variant<std::vector<float>, std::vector<int32_t>> values;

  Type type() const { return static_cast<Type>(values.index()); }
  size_t size() const {
    return std::visit([](const auto& list) { return list.size(); }, values);
  }
  const std::vector<float>& f32() const { return std::get<0>(values); }
  const std::vector<int32_t>& i32() const { return std::get<1>(values); }
};

// Returns the product of the extents; 1 for no axes.
int64_t count(const Shape& shape);
// Returns true if the shape is legal and has at most `capacity` elements. With an extent of 0, the
// product of the other extents is limited too, because later code multiplies them.
bool fits(const Shape& shape, int64_t capacity);
std::string describe(const Shape& shape);  // "(2,3)"

// A shape relative to one axis: outer times extent times inner elements.
struct AxisView {
  int64_t outer, extent, inner;
};
AxisView view_axis(const Shape& shape, size_t axis);

}  // namespace tputwin::host

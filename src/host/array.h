// What operators of the host work on: arrays of fp32 or int32, one element after the other.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tputwin::host {

// Extents of at most kMaxRank axes; 0 is allowed: what an operator finds may be nothing.
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

// The product of the extents; of none: 1.
int64_t count(const Shape& shape);
// Whether an array of the shape has at most so many elements, and a legal shape. Of one without
// elements, too, the other extents have to fit: what comes later multiplies them.
bool fits(const Shape& shape, int64_t room);
std::string describe(const Shape& shape);  // "(2,3)"

// A shape seen from one axis: outer times extent times inner elements.
struct AxisView {
  int64_t outer, extent, inner;
};
AxisView view_axis(const Shape& shape, size_t axis);

}  // namespace tputwin::host

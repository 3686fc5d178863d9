// Operators along an axis that are products with a constant triangle.
#include <fmt/format.h>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns a matrix with 1 where holds(row, column).
template <class Holds>
std::string triangle(Expansion& made, int64_t rows, int64_t columns, const Holds& holds) {
  std::vector<float> values;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      values.push_back(holds(row, column) ? 1.0f : 0.0f);
  return made.reals({rows, columns}, values);
}

}  // namespace

void import_trilu(Node& node) {
  const Dims& x = node.dims();
  node.require(x.size() >= 2, "input", text(x), "matrices");
  const int64_t k = node.has(1) ? node.whole(1, "k") : 0;
  const bool upper = node.integer("upper", 1) != 0;
  Expansion made(node);
  const std::string mask = triangle(
      made, x[x.size() - 2], x.back(),
      [&](int64_t row, int64_t column) { return upper ? column - row >= k : column - row <= k; });
  made.set(made.keep(made.in(0), mask));
}

namespace {

constexpr int64_t kLargestTriangle = 4096;  // rows of the matrix that sums are a product with
constexpr int64_t kMostParts = 64;

// Sums of parts of the axis, each with the total of the parts before it.
void sum_parts(Node& node, size_t axis, bool reverse) {
  const int64_t size = node.dims()[axis];
  const int64_t parts = (size + kLargestTriangle - 1) / kLargestTriangle;
  node.require(parts <= kMostParts, "x", text(node.dims()),
               fmt::format("at most {} along the axis", kMostParts * kLargestTriangle));
  Expansion made(node);
  const std::string of_axis = made.integers({static_cast<int64_t>(axis)});
  std::vector<std::string> sums;
  std::string total;
  for (int64_t k = 0; k < parts; ++k) {
    const int64_t part = reverse ? parts - 1 - k : k, begin = part * kLargestTriangle;
    const int64_t end = std::min(size, begin + kLargestTriangle);
    const std::string x =
        made.add("Slice", {made.in(0), made.integers({begin}), made.integers({end}), of_axis});
    std::string sum = made.add("CumSum", {x, made.in(1)});
    made.copy_attribute("exclusive");
    made.copy_attribute("reverse");
    if (k > 0) sum = made.add("Add", {sum, total});
    sums.insert(reverse ? sums.begin() : sums.end(), sum);
    if (k + 1 == parts) break;
    const std::string own = made.add("ReduceSum", {x, of_axis}, {{"keepdims", int64_t{1}}});
    total = k == 0 ? own : made.add("Add", {total, own});
  }
  made.set(made.add("Concat", sums, {{"axis", static_cast<int64_t>(axis)}}));
}

}  // namespace

// A product with a triangle of ones, along the last axis.
void import_cum_sum(Node& node) {
  const Dims& x = node.dims();
  node.require(!x.empty(), "x", "()", "at least one axis");
  const size_t axis = node.axis(node.whole(1, "axis"), x.size());
  const bool exclusive = node.integer("exclusive", 0) != 0,
             reverse = node.integer("reverse", 0) != 0;
  if (x[axis] > kLargestTriangle) return sum_parts(node, axis, reverse);
  Dims order;
  for (size_t i = 0; i < x.size(); ++i) order.push_back(static_cast<int64_t>(i));
  std::swap(order[axis], order.back());
  Expansion made(node);
  const std::string ones = triangle(made, x[axis], x[axis], [&](int64_t from, int64_t to) {
    const int64_t before = reverse ? from - to : to - from;
    return exclusive ? before > 0 : before >= 0;
  });
  const std::string columns = made.add("Transpose", {made.in(0)}, {{"perm", order}});
  const std::string sums = made.add("MatMul", {columns, ones});
  made.set(made.add("Transpose", {sums}, {{"perm", order}}));
}

}  // namespace tputwin::net::onnx_reader

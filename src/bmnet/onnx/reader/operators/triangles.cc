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

constexpr int64_t kLargestTriangle = 384;  // rows of the matrix that sums are a product with
constexpr int64_t kBlock = 128;            // elements of longer axes that are summed by one product

struct Running {
  bool exclusive = false, reverse = false;
};

std::string ones_of(Expansion& made, int64_t size, const Running& how) {
  return triangle(made, size, size, [&](int64_t from, int64_t to) {
    const int64_t before = how.reverse ? from - to : to - from;
    return how.exclusive ? before > 0 : before >= 0;
  });
}

// Returns the sums along the last axis of (rows, size): those in each block, plus the sum of the
// totals of the blocks before it. The totals are summed likewise. Zeros fill the last block.
std::string sums_of_blocks(Expansion& made, std::string x, int64_t rows, int64_t size,
                           const Running& how) {
  if (size <= kLargestTriangle) return made.add("MatMul", {x, ones_of(made, size, how)});
  const int64_t blocks = (size + kBlock - 1) / kBlock, whole = blocks * kBlock;
  if (whole != size)
    x = made.add("Pad", {x, made.integers({0, 0, 0, whole - size})}, {{"mode", "constant"}});
  x = made.add("Reshape", {x, made.integers({rows, blocks, kBlock})});
  const std::string within = made.add("MatMul", {x, ones_of(made, kBlock, how)});
  const std::string totals =
      made.add("ReduceSum", {x, made.integers({2})}, {{"keepdims", int64_t{0}}});
  std::string before = sums_of_blocks(made, totals, rows, blocks, {true, how.reverse});
  before = made.add("Reshape", {before, made.integers({rows, blocks, 1})});
  std::string sums = made.add("Add", {within, before});
  sums = made.add("Reshape", {sums, made.integers({rows, whole})});
  if (whole == size) return sums;
  return made.add("Slice", {sums, made.integers({0}), made.integers({size}), made.integers({1})});
}

}  // namespace

// Products with triangles of ones, along the last axis.
void import_cum_sum(Node& node) {
  const Dims& x = node.dims();
  node.require(!x.empty(), "x", "()", "at least one axis");
  const size_t axis = node.axis(node.whole(1, "axis"), x.size());
  const Running how{node.integer("exclusive", 0) != 0, node.integer("reverse", 0) != 0};
  Dims order, turned = x;
  for (size_t i = 0; i < x.size(); ++i) order.push_back(static_cast<int64_t>(i));
  std::swap(order[axis], order.back());
  std::swap(turned[axis], turned.back());
  Expansion made(node);
  std::string y = made.add("Transpose", {made.in(0)}, {{"perm", order}});
  if (x[axis] <= kLargestTriangle) {
    y = made.add("MatMul", {y, ones_of(made, x[axis], how)});
  } else {
    const int64_t rows = elements(x) / x[axis];
    y = made.add("Reshape", {y, made.integers({rows, x[axis]})});
    y = sums_of_blocks(made, y, rows, x[axis], how);
    y = made.add("Reshape", {y, made.integers(turned)});
  }
  made.set(made.add("Transpose", {y}, {{"perm", order}}));
}

}  // namespace tputwin::net::onnx_reader

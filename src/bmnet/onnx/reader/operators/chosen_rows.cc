// Moves that constants choose, as a Gather: Compress and ReverseSequence. Rows with a 1 at one
// position: OneHot and Hardmax. Also the old name of ScatterElements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {

// The positions where the condition holds, which is a tensor or chooses of a tensor whose extents
// are known at run time.
void compress_of_host(Node& node) {
  Expansion made(node);
  const bool is_flat = !node.has("axis");
  const std::string rows =
      is_flat ? made.add("Reshape", {made.in(0), made.integers({-1})}) : made.in(0);
  const std::string found = made.add("NonZero", {made.in(1)});
  const std::string places = made.add("Squeeze", {found, made.integers({0})});
  made.set(made.add("Gather", {rows, places}, {{"axis", node.integer("axis", 0)}}));
}

namespace {

// Returns the largest fp32 number that is not above x.
float rounded_down(double x) {
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) > x ? std::nextafter(nearest, -HUGE_VALF) : nearest;
}

}  // namespace

// The numbers from a constant on that are below a limit which is computed.
void range_of_host(Node& node) {
  constexpr double kMost = 1 << 24;
  const Constant &first = node.weights(0, "start"), &step = node.weights(2, "delta");
  node.require(first.size() == 1 && step.size() == 1, "start, delta",
               text(first.dims) + ", " + text(step.dims), "one value each");
  const double start = first.at(0), delta = step.at(0);
  const Dims& most = node.in(1).largest;
  node.require(delta > 0, "delta", fmt::format("{}", delta),
               "above 0, where the limit is computed");
  node.require(most.size() == 1, "limit", node.proto.input(1),
               "computed of extents of tensors and constants, which give its largest value; cut "
               "the net before it (--output-names)");
  const double count = std::ceil((static_cast<double>(most[0]) - start) / delta);
  node.require(
      std::fabs(start) <= kMost && std::abs(most[0]) <= kMost && count >= 1 && count <= kMost,
      "limit", text(most), "above the start, and at most 2^24; the start from -2^24 on");
  std::vector<double> all;
  std::vector<float> below;
  for (int64_t i = 0; static_cast<double>(i) < count; ++i) {
    all.push_back(start + static_cast<double>(i) * delta);
    below.push_back(rounded_down(all.back()));
  }
  Expansion made(node);
  const Dims dims{static_cast<int64_t>(all.size())};
  const ConstantPtr range = make_constant(dims, first.type, all);
  const std::string values =
      first.is_integer() ? made.integers(range->integers) : made.reals(dims, range->reals);
  const std::string limits = first.is_integer() ? values : made.reals(dims, below);
  made.set(made.add("Compress", {values, made.add("Less", {limits, made.in(1)})},
                    {{"axis", int64_t{0}}}));
}

void expand_compress(Node& node) {
  if (node.graph.has_subnets && node.has(1) && node.constant(1) == nullptr)
    return compress_of_host(node);
  const Constant& condition = node.weights(1, "condition");
  const bool is_flat = !node.has("axis");
  const Dims& x = node.dims();
  const size_t axis = is_flat ? 0 : node.axis(node.integer("axis", 0), x.size());
  const int64_t extent = is_flat ? elements(x) : x[axis];
  Dims kept;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition.at(i) != 0) kept.push_back(static_cast<int64_t>(i));
  node.require(!kept.empty() && kept.back() < extent, "condition", text(condition.dims),
               fmt::format("true for one of {} elements at least, and for no other", extent));
  Expansion made(node);
  const std::string rows =
      is_flat ? made.add("Reshape", {made.in(0), made.integers({-1})}) : made.in(0);
  made.set(made.add("Gather", {rows, made.integers(kept)}, {{"axis", static_cast<int64_t>(axis)}}));
}

// Turns the first elements of each sample around, as many as its length.
void expand_reverse_sequence(Node& node) {
  const Dims& x = node.dims();
  const int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  node.require(x.size() >= 2 && batch + time == 1 && batch * time == 0, "batch_axis, time_axis",
               fmt::format("{}, {}", batch, time), "0, 1 or 1, 0, of two axes at least");
  const Dims lengths = node.weights(1, "sequence_lens").whole();
  const int64_t samples = x[static_cast<size_t>(batch)], steps = x[static_cast<size_t>(time)];
  node.require(static_cast<int64_t>(lengths.size()) == samples, "sequence_lens", text(lengths),
               fmt::format("one for each of {} samples", samples));
  Dims from;
  for (const int64_t length : lengths) {
    node.require(length >= 0 && length <= steps, "sequence_lens", text(lengths),
                 fmt::format("in [0, {}]", steps));
    const auto first = static_cast<int64_t>(from.size());
    for (int64_t i = 0; i < steps; ++i) from.push_back(first + (i < length ? length - 1 - i : i));
  }
  Dims order(x.size()), apart{samples, steps};
  std::iota(order.begin(), order.end(), 0);
  if (batch == 1) std::swap(order[0], order[1]);
  apart.insert(apart.end(), x.begin() + 2, x.end());
  Expansion made(node);
  const std::string turned = made.add("Transpose", {made.in(0)}, {{"perm", order}});
  std::string y = made.add(
      "Reshape", {turned, made.integers({samples * steps, elements(x) / (samples * steps)})});
  y = made.add("Gather", {y, made.integers(from)}, {{"axis", int64_t{0}}});
  y = made.add("Reshape", {y, made.integers(apart)});
  made.set(made.add("Transpose", {y}, {{"perm", order}}));
}

namespace {

// 1 at the first largest element along the axis.
std::string first_largest(Expansion& made, const std::string& x, int64_t along) {
  const auto as_number = [&](const std::string& condition) {
    return made.add("Cast", {condition}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  };
  const std::string largest =
      made.add("ReduceMax", {x, made.integers({along})}, {{"keepdims", int64_t{1}}});
  const std::string is_largest = as_number(made.add("Equal", {x, largest}));
  const std::string count = made.add("CumSum", {is_largest, made.integer(along)});
  return made.add("Mul", {is_largest, as_number(made.add("Less", {count, made.real(1.5f)}))});
}

}  // namespace

// Before opset 13 all axes from `axis` on are one.
void expand_hardmax(Node& node) {
  const Dims& x = node.dims();
  const bool one_axis = node.opset >= 13;
  const size_t axis = node.axis(node.integer("axis", one_axis ? -1 : 1), x.size());
  const Dims rows = one_axis ? x : Dims{run(x, 0, axis), run(x, axis, x.size())};
  Expansion made(node);
  const std::string map = made.add("Reshape", {made.in(0), made.integers(rows)});
  const std::string y = first_largest(made, map, one_axis ? static_cast<int64_t>(axis) : 1);
  made.set(made.add("Reshape", {y, made.integers(x)}));
}

// Does the same to a tensor whose extents are known at run time.
void hardmax_of_host(Node& node) {
  const Dims& x = node.dims();
  const bool one_axis = node.opset >= 13;
  const size_t axis = node.axis(node.integer("axis", one_axis ? -1 : 1), x.size());
  const auto along = static_cast<int64_t>(axis);
  Expansion made(node);
  if (one_axis || axis + 1 == x.size()) return made.set(first_largest(made, made.in(0), along));
  const std::string rows = made.add("Flatten", {made.in(0)}, {{"axis", along}});
  const std::string shape = made.add("Shape", {made.in(0)});
  made.set(made.add("Reshape", {first_largest(made, rows, 1), shape}, {{"allowzero", int64_t{1}}}));
}

// off + (on - off) where the index is the position, counted from either end. Others have `off`
// alone.
void import_one_hot(Node& node) {
  const int64_t depth = node.whole(1, "depth");
  const Constant& off_on = node.weights(2, "values");
  node.require(depth >= 1 && depth <= kMostFolded && off_on.size() == 2, "depth, values",
               std::to_string(depth), "one depth, and two values");
  Dims indices = node.dims(), positions(indices.size() + 1, 1);
  const size_t axis = node.axis(node.integer("axis", -1), positions.size());
  indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  positions[axis] = depth;
  Dims result = indices;
  result[axis] = depth;
  Expansion made(node);
  const auto as_number = [&](const std::string& x) {
    return made.add("Cast", {x}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  };
  std::string index = as_number(made.add("Reshape", {made.in(0), made.integers(indices)}));
  index = made.add("Expand", {index, made.integers(result)});
  const auto equals = [&](int64_t first) {
    std::vector<float> numbers(static_cast<size_t>(depth));
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(first));
    return as_number(made.add("Equal", {index, made.reals(positions, numbers)}));
  };
  const auto off = static_cast<float>(off_on.at(0)), on = static_cast<float>(off_on.at(1));
  std::string y = made.add("Add", {equals(0), equals(-depth)});
  if (on - off != 1) y = made.add("Mul", {y, made.real(on - off)});
  if (off != 0) y = made.add("Add", {y, made.real(off)});
  if (off_on.is_integer()) y = made.add("Cast", {y}, {{"to", int64_t{off_on.type}}});
  made.set(made.add("Reshape", {y, made.integers(result)}));
}

void expand_scatter(Node& node) {
  Expansion made(node);
  const std::string y = made.add("ScatterElements", {made.in(0), made.in(1), made.in(2)},
                                 {{"axis", node.integer("axis", 0)}});
  made.set(y);
}

}  // namespace tputwin::net::onnx_reader

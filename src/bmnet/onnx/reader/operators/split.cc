// Split: parts of one axis.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

// One part for each output. From opset 18 on the last part may be smaller.
Dims equal_parts(const Node& node, int64_t extent) {
  const auto count = static_cast<int64_t>(node.proto.output_size());
  if (node.opset >= 18) {
    const int64_t wanted = node.integer("num_outputs", count);
    node.require(wanted == count, "num_outputs", std::to_string(wanted),
                 fmt::format("the number of outputs, {}", count));
    const int64_t part = (extent + count - 1) / count;
    Dims parts(static_cast<size_t>(count), part);
    parts.back() = extent - part * (count - 1);
    return parts;
  }
  node.require(extent % count == 0, "outputs", std::to_string(count),
               fmt::format("they divide the extent {}", extent));
  return Dims(static_cast<size_t>(count), extent / count);
}

Dims split_sizes(const Node& node, int64_t extent) {
  const auto given = node.list(1, "split");
  const Dims sizes = given ? *given : equal_parts(node, extent);
  const auto positive = [](int64_t size) { return size >= 1; };
  node.require(static_cast<int>(sizes.size()) == node.proto.output_size() &&
                   std::ranges::all_of(sizes, positive) &&
                   std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == extent,
               "split", text(sizes), fmt::format("one part per output, {} in all", extent));
  return sizes;
}

// The extent of the axis may be known at run time only, so the host divides it.
void equal_parts_of_host(Node& node, size_t axis) {
  const auto count = static_cast<int64_t>(node.proto.output_size());
  const int64_t wanted = node.integer("num_outputs", count);
  node.require(wanted == count, "num_outputs", std::to_string(wanted),
               fmt::format("the number of outputs, {}", count));
  Dims part = node.dims();
  part[axis] = (part[axis] + count - 1) / count;
  for (int64_t i = 0; i < count; ++i) {
    HostCall call(node, fmt::format("slice axis={} part={} parts={} divides={}", axis, i, count,
                                    node.opset < 18 ? 1 : 0));
    call.take(0);
    const std::string tensor = call.add({part}, fmt::format("part{}", i))[0];
    call.set(tensor, part, kind_of(node), static_cast<size_t>(i));
  }
}

}  // namespace

// One Slice for each part.
void split_of_host(Node& node) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  if (node.in(0).varies && !node.has(1) && !node.has("split"))
    return equal_parts_of_host(node, axis);
  Expansion made(node);
  int64_t begin = 0;
  size_t output = 0;
  for (const int64_t size : split_sizes(node, x[axis])) {
    const std::string part =
        made.add("Slice", {made.in(0), made.integers({begin}), made.integers({begin + size}),
                           made.integers({static_cast<int64_t>(axis)})});
    made.set(part, output++);
    begin += size;
  }
}

void import_split(Node& node) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", 0), x.size()), count = node.outputs().size();
  const Dims sizes = split_sizes(node, x[axis]);
  if (count == 1) return node.set(node.in(0));
  const bool fits = x.size() <= 4;
  TensorOp op = make_op(Op::slice);
  op.mutable_tg_slice_param()->set_axis(fits ? static_cast<int>(axis) : 1);
  std::vector<Dims> results;
  for (size_t i = 0; i < count; ++i) {
    Dims result = x;
    result[axis] = sizes[i];
    *op.add_output_shape() = make_shape(fits ? result : around(result, axis));
    op.add_top(fmt::format("{}/part{}", node.where(), i));
    results.push_back(std::move(result));
  }
  node.add(std::move(op), {fits ? node.tensor() : node.tensor(0, around(x, axis))}, "");
  node.set_parts(results);
}

}  // namespace tputwin::net::onnx_reader

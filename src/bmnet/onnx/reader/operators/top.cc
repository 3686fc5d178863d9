// The largest values along an axis, and their positions.
#include <fmt/format.h>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

struct Top {
  size_t axis = 0;
  int64_t count = 0;  // 0 for ArgMax and ArgMin
  bool smallest = false, last = false;
};

// Returns one of the two results. Its extents are those of the node, except along the axis.
std::string top(Node& node, const Top& wanted, Op type, std::string_view what) {
  const Dims& x = node.dims();
  const bool fits = x.size() <= 4;
  const Dims from =
      fits ? net_dims(x)
           : Dims{run(x, 0, wanted.axis), x[wanted.axis], run(x, wanted.axis + 1, x.size())};
  TensorOp op = make_op(type);
  auto& p = type == Op::top_values ? *op.mutable_tg_top_values_param()
                                   : *op.mutable_tg_top_positions_param();
  p.set_axis(fits ? static_cast<int>(wanted.axis) : 1);
  if (wanted.count > 0) p.set_count(static_cast<uint32_t>(wanted.count));
  p.set_smallest(wanted.smallest);
  p.set_last(wanted.last);
  return node.add(std::move(op), {node.tensor(0, from)}, what);
}

void set_result(Node& node, const std::string& y, const Dims& dims, size_t output,
                int64_t positions) {
  node.set(node.graph.dims(y) == net_dims(dims) ? y : node.view(y, net_dims(dims)), dims, output);
  auto& value = node.outputs()[output];
  if (!value || positions == 0) return;
  if (!node.graph.has_subnets) {
    value->positions = positions;
    return;
  }
  value->kind = ValueKind::integer;
  value->on_host = true;
}

void arg(Node& node, bool smallest) {
  const Dims& x = node.dims();
  node.require(!x.empty(), "axes", "0", "at least 1");
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  Dims result = x;
  result[axis] = 1;
  if (node.integer("keepdims", 1) == 0) result.erase(result.begin() + static_cast<int64_t>(axis));
  const Top wanted{axis, 0, smallest, node.integer("select_last_index", 0) != 0};
  set_result(node, top(node, wanted, Op::top_positions, ""), result, 0, x[axis]);
}

}  // namespace

void import_arg_max(Node& node) { arg(node, false); }
void import_arg_min(Node& node) { arg(node, true); }

void import_top_k(Node& node) {
  if (node.graph.has_subnets && node.opset >= 10 && node.constant(1) == nullptr)
    return import_of_host(node);
  const Dims& x = node.dims();
  node.require(!x.empty(), "axes", "0", "at least 1");
  const size_t axis = node.axis(node.integer("axis", -1), x.size());
  Dims k{node.integer("k", 0)};
  if (node.opset >= 10) k = node.weights(1, "K").whole();
  node.require(k.size() == 1 && k[0] >= 1 && k[0] <= x[axis], "K", text(k),
               fmt::format("from 1 to the extent of the axis, {}", x[axis]));
  const Top wanted{axis, k[0], node.integer("largest", 1) == 0, false};
  Dims result = x;
  result[axis] = k[0];
  if (node.wants(0)) set_result(node, top(node, wanted, Op::top_values, ""), result, 0, 0);
  if (node.wants(1))
    set_result(node, top(node, wanted, Op::top_positions, "positions"), result, 1, x[axis]);
}

}  // namespace tputwin::net::onnx_reader

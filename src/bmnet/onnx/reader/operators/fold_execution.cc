// Folding of nodes that have no folder of their own: a net of the node alone is run in float.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/float/execute.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

// Floats hold whole numbers below this exactly.
constexpr double kExact = 1 << 24;

void require_exact(const Node& node, const Constant& constant) {
  for (size_t i = 0; constant.is_integer() && i < constant.size(); ++i)
    node.require(std::fabs(constant.at(i)) < kExact, "constant", fmt::format("{}", constant.at(i)),
                 "less than 2^24: it is computed in floats");
}

// Returns the values of the net's tensor: `x` is its input.
Blob value_of(const Node& node, Network network, const std::string& input,
              const std::string& tensor, const Blob& x) {
  TensorOp end = make_op(Op::end);
  end.set_name("end");
  end.mutable_end_param();
  end.add_bottom(tensor);
  *end.add_input_shape() = *network.shape_of(tensor);
  network.ops.push_back(std::move(end));
  if (tensor == input) return x;
  auto executor = FloatExecutor::create(network);
  auto result = executor.ok() ? (*executor)->run({{input, x}})
                              : Result<std::map<std::string, Blob>>(executor.error());
  if (!result.ok()) node.refuse("constants", tensor, result.error().message());
  return result->at(tensor);
}

}  // namespace

void fold_by_execution(Node& node, const OperatorRow& row) {
  const Constant& x = *node.in(0).constant;
  require_exact(node, x);
  node.require(x.size() > 0, "constant", text(x.dims), "a constant with elements");
  Graph graph;
  TensorOp start = make_op(Op::start);
  start.set_name("constant");
  start.add_top("constant");
  *start.add_output_shape() = make_shape(net_dims(x.dims));
  const std::string input = graph.add(std::move(start), {});
  const Value first{x.dims, nullptr, input, {}};
  std::vector<const Value*> inputs = node.values();
  inputs[0] = &first;
  graph.fresh_names = node.graph.fresh_names;
  Node alone(graph, node.proto, node.opset, inputs, node.folder(), node.wanted());
  row.import(alone);
  if (!alone.expansion().empty()) {  // its nodes are folded one by one
    node.graph.fresh_names = std::move(graph.fresh_names);
    node.expansion() = std::move(alone.expansion());
    node.expansion_opset = alone.expansion_opset;
    return;
  }
  for (size_t i = 0; i < alone.outputs().size(); ++i) {
    const auto& value = alone.outputs()[i];
    if (!value) continue;
    if (value->constant != nullptr) {
      node.set(value->constant, i);
      continue;
    }
    const Blob result =
        value_of(node, graph.network, input, value->tensor, {net_dims(x.dims), x.real()});
    const int type = value->positions != 0 ? onnx::TensorProto::INT64 : x.type;
    node.set(make_constant(value->dims, type, {result.data.begin(), result.data.end()}), i);
  }
}

}  // namespace tputwin::net::onnx_reader

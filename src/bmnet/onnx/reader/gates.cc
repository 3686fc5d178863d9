// y = x * g(x), where g is a chain of functions of one value: HardSwish, SiLU, GELU and Mish as
// exporters write them. One table rounds y once. A product of int8 tensors rounds after every step
// of g, and again the product.
#include <optional>
#include <set>

#include "bmnet/cpu_ops/table_function.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr size_t kMostSteps = 8;

size_t readers(const Graph& graph, const std::string& tensor) {
  size_t count = 0;
  for (const TensorOp& op : graph.network.ops)
    count += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
  return count;
}

// Returns the op as a function of one value; nullopt if it is none.
std::optional<TensorOp> step_of(const Graph& graph, const TensorOp& op) {
  if (op.bottom_size() != 1 || op.top_size() != 1) return std::nullopt;
  if (table_function(op) != nullptr && op.tg_function_param().gate_size() == 0) {
    TensorOp step = op;
    step.clear_input_shape();
    step.clear_output_shape();
    return step;
  }
  if (!is(op, Op::scale)) return std::nullopt;
  // One factor and one offset for all channels.
  TensorOp step = make_op(Op::power);
  step.set_name(op.name());
  const std::vector<Blob>& blobs = graph.network.blobs.at(op.name());
  for (const Blob& blob : blobs)
    for (const float value : blob.data)
      if (value != blob.data[0]) return std::nullopt;
  step.mutable_tg_power_param()->set_scale(blobs[0].data[0]);
  step.mutable_tg_power_param()->set_shift(blobs.size() > 1 ? blobs[1].data[0] : 0.0f);
  return step;
}

// The steps from x to a tensor, the first one first; nullopt if it is no function of x alone.
std::optional<std::vector<TensorOp>> steps_from(const Graph& graph, const std::string& x,
                                                std::string tensor) {
  std::vector<TensorOp> steps;
  while (tensor != x) {
    const TensorOp* op = graph.network.producer(tensor);
    if (op == nullptr || steps.size() == kMostSteps || readers(graph, tensor) != 1 ||
        graph.thresholds.contains(tensor))
      return std::nullopt;
    auto step = step_of(graph, *op);
    if (!step) return std::nullopt;
    steps.insert(steps.begin(), std::move(*step));
    tensor = op->bottom(0);
  }
  return steps;
}

// Returns x and its gate for a product of two tensors of one shape.
std::optional<std::pair<std::string, std::vector<TensorOp>>> gate_of(const Graph& graph,
                                                                     const TensorOp& op) {
  if (!is(op, Op::eltwise) || op.bottom_size() != 2 || op.bottom(0) == op.bottom(1) ||
      op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD ||
      dims(op.input_shape(0)) != dims(op.input_shape(1)))
    return std::nullopt;
  for (const int x : {0, 1})
    if (auto steps = steps_from(graph, op.bottom(x), op.bottom(1 - x)))
      return std::pair(op.bottom(x), std::move(*steps));
  return std::nullopt;
}

void replace(TensorOp& op, const std::string& x, const std::vector<TensorOp>& steps) {
  TensorOp made = op;
  made.set_type(make_op(Op::function).type());
  made.clear_tg_eltwise_param();
  made.clear_bottom();
  made.add_bottom(x);
  made.mutable_input_shape()->RemoveLast();
  made.mutable_tg_function_param()->set_name("gate");
  for (const TensorOp& step : steps) *made.mutable_tg_function_param()->add_gate() = step;
  op = std::move(made);
}

}  // namespace

void fuse_gates(Graph& graph, const std::set<std::string>& outputs) {
  auto& ops = graph.network.ops;
  std::set<std::string> fused;
  for (TensorOp& op : ops) {
    auto gate = gate_of(graph, op);
    if (!gate) continue;
    const bool is_seen = std::ranges::any_of(gate->second, [&](const TensorOp& step) {
      return step.top_size() > 0 && outputs.contains(step.top(0));
    });
    if (is_seen) continue;
    for (const TensorOp& step : gate->second) fused.insert(step.name());
    replace(op, gate->first, gate->second);
  }
  std::erase_if(ops, [&](const TensorOp& op) {
    if (!fused.contains(op.name())) return false;
    graph.network.blobs.erase(op.name());
    return true;
  });
}

}  // namespace tputwin::net::onnx_reader

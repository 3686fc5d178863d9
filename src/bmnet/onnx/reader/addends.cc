// Sums that a softmax is of: attention scores and their mask.
#include "bmnet/onnx/reader/addends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"

namespace tputwin::net::onnx_reader {
namespace {

using Arithmetic = ::bmnet::TGArithmeticParameter;

// a + b of constants or tensors.
std::optional<Addends> of_arithmetic(const Graph& graph, const TensorOp& op) {
  const auto& p = op.tg_arithmetic_param();
  if (p.operation() != Arithmetic::ADD) return std::nullopt;
  const Dims sum = net::dims(op.output_shape(0));
  if (p.is_b_const()) {
    if (net::dims(op.input_shape(0)) != sum) return std::nullopt;
    return Addends{op.bottom(0), "", graph.network.blobs.at(op.name())[0]};
  }
  for (int first : {0, 1})
    if (net::dims(op.input_shape(first)) == sum)
      return Addends{op.bottom(first), op.bottom(1 - first), std::nullopt};
  return std::nullopt;
}

std::optional<Addends> of_eltwise(const TensorOp& op) {
  const auto& p = op.tg_eltwise_param();
  const bool sums = p.operation() == ::bmnet::TGEltwiseParameter::SUM && op.bottom_size() == 2 &&
                    std::ranges::all_of(p.coeff(), [](float c) { return c == 1; });
  if (!sums || op.bottom(0) == op.bottom(1)) return std::nullopt;
  return Addends{op.bottom(0), op.bottom(1), std::nullopt};
}

// x + c of each channel.
std::optional<Addends> of_scale(const Graph& graph, const TensorOp& op) {
  const auto& blobs = graph.network.blobs.at(op.name());
  if (blobs.size() < 2 || !std::ranges::all_of(blobs[0].data, [](float f) { return f == 1; }))
    return std::nullopt;
  Dims dims(static_cast<size_t>(op.input_shape(0).dim_size()), 1);
  dims[1] = static_cast<int64_t>(blobs[1].data.size());
  return Addends{op.bottom(0), "", Blob{dims, blobs[1].data}};
}

// x + c: a softmax of it is one of x.
std::optional<Addends> of_power(const TensorOp& op) {
  const auto& p = op.tg_power_param();
  if (p.power() != 1 || p.scale() != 1) return std::nullopt;
  return Addends{op.bottom(0), "", std::nullopt};
}

std::optional<Addends> of_sum(const Graph& graph, const TensorOp& op) {
  if (is(op, Op::arithmetic)) return of_arithmetic(graph, op);
  if (is(op, Op::eltwise)) return of_eltwise(op);
  if (is(op, Op::scale)) return of_scale(graph, op);
  if (is(op, Op::power)) return of_power(op);
  return std::nullopt;
}

// The blob with its repeated axes written out.
Blob repeated(const Blob& blob, const Dims& dims) {
  Blob whole{dims, std::vector<float>(static_cast<size_t>(elements(dims)))};
  std::vector<int64_t> step(dims.size());
  int64_t run = 1;
  for (size_t axis = dims.size(); axis-- > 0; run *= blob.shape[axis])
    step[axis] = blob.shape[axis] == 1 ? 0 : run;
  for (size_t i = 0; i < whole.data.size(); ++i) {
    int64_t from = 0, rest = static_cast<int64_t>(i);
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      from += rest % dims[axis] * step[axis];
    whole.data[i] = blob.data[static_cast<size_t>(from)];
  }
  return whole;
}

void refuse_infinite(const Graph& graph, const TensorOp& op) {
  const auto blobs = graph.network.blobs.find(op.name());
  if (!is(op, Op::arithmetic) || blobs == graph.network.blobs.end()) return;
  for (const float value : blobs->second[0].data)
    if (!std::isfinite(value)) {
      const auto name = graph.infinite.find(op.name());
      throw Refusal{
          Error(errors::net_onnx_operator)
              .in("node " + op.name())
              .argument(name == graph.infinite.end() ? "constant" : name->second,
                        fmt::format("{}", value))
              .detail("only a sum that a Softmax reads may have it; take a finite number, "
                      "some 20 below the least score")};
    }
}

}  // namespace

std::optional<Addends> addends_of(Node& node, const std::string& tensor) {
  Graph& graph = node.graph;
  const Dims dims = graph.dims(tensor);
  std::string sum = tensor;
  const TensorOp* op = graph.network.producer(sum);
  if (op != nullptr && is(*op, Op::reshape)) {
    sum = op->bottom(0);
    op = graph.network.producer(sum);
  }
  if (op == nullptr || graph.thresholds.contains(sum) || graph.thresholds.contains(tensor))
    return std::nullopt;
  std::optional<Addends> found = of_sum(graph, *op);
  if (!found) return std::nullopt;
  const Dims before = graph.dims(sum);
  graph.unused_sums.insert(sum);
  if (sum == tensor) return found;
  graph.unused_sums.insert(tensor);
  if (found->weights) {
    found->weights = repeated(*found->weights, before);
    found->weights->shape = dims;
  }
  if (!found->tensor.empty()) {
    if (graph.dims(found->tensor) != before) return std::nullopt;
    found->tensor = graph.view(found->tensor, dims);
  }
  found->x = graph.view(found->x, dims);
  return found;
}

void remove_unused_sums(Graph& graph, const std::vector<std::string>& outputs) {
  auto& ops = graph.network.ops;
  for (size_t i = ops.size(); i-- > 0;) {
    const std::string top = ops[i].top(0);
    if (!graph.unused_sums.contains(top)) continue;
    if (graph.network.is_read(top) || std::ranges::find(outputs, top) != outputs.end()) continue;
    graph.network.blobs.erase(ops[i].name());
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const TensorOp& op : ops) refuse_infinite(graph, op);
}

}  // namespace tputwin::net::onnx_reader

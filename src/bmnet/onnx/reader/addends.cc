// Sums that a softmax reads: attention scores and their mask.
#include "bmnet/onnx/reader/addends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace tputwin::net::onnx_reader {
namespace {

using Arithmetic = ::bmnet::TGArithmeticParameter;

// A clip from below by this or less only concerns rows that are masked whole.
constexpr float kMasked = -1e4f;

// A sum as its first addend and the second: a tensor, constants, or one number.
struct Sum {
  std::string x, tensor;
  bool is_negative = false;  // the tensor is subtracted
  std::optional<Blob> weights;
};

Blob negated(Blob blob) {
  for (float& value : blob.data) value = -value;
  return blob;
}

// a + b or a - b of constants or tensors.
std::optional<Sum> of_arithmetic(const Graph& graph, const TensorOp& op) {
  const auto& p = op.tg_arithmetic_param();
  const bool subtracts = p.operation() == Arithmetic::SUB;
  if (p.operation() != Arithmetic::ADD && !subtracts) return std::nullopt;
  const Dims sum = net::dims(op.output_shape(0));
  if (p.is_b_const()) {
    if (net::dims(op.input_shape(0)) != sum || (subtracts && p.reversed())) return std::nullopt;
    const Blob& constants = graph.network.blobs.at(op.name())[0];
    return Sum{op.bottom(0), "", false, subtracts ? negated(constants) : constants};
  }
  for (int first : {0, 1})
    if (net::dims(op.input_shape(first)) == sum && !(subtracts && first == 1))
      return Sum{op.bottom(first), op.bottom(1 - first), subtracts, std::nullopt};
  return std::nullopt;
}

std::optional<Sum> of_eltwise(const TensorOp& op) {
  const auto& p = op.tg_eltwise_param();
  if (p.operation() != ::bmnet::TGEltwiseParameter::SUM || op.bottom_size() != 2 ||
      op.bottom(0) == op.bottom(1))
    return std::nullopt;
  const auto factor = [&](int i) { return i < p.coeff_size() ? p.coeff(i) : 1.0f; };
  if (factor(0) != 1 || std::fabs(factor(1)) != 1) return std::nullopt;
  return Sum{op.bottom(0), op.bottom(1), factor(1) < 0, std::nullopt};
}

// x + c of each channel.
std::optional<Sum> of_scale(const Graph& graph, const TensorOp& op) {
  const auto& blobs = graph.network.blobs.at(op.name());
  if (blobs.size() < 2 || !std::ranges::all_of(blobs[0].data, [](float f) { return f == 1; }))
    return std::nullopt;
  Dims dims(static_cast<size_t>(op.input_shape(0).dim_size()), 1);
  dims[1] = static_cast<int64_t>(blobs[1].data.size());
  return Sum{op.bottom(0), "", false, Blob{dims, blobs[1].data}};
}

// x + c: a softmax of it is one of x.
std::optional<Sum> of_power(const TensorOp& op) {
  const auto& p = op.tg_power_param();
  if (p.power() != 1 || p.scale() != 1) return std::nullopt;
  return Sum{op.bottom(0), "", false, std::nullopt};
}

std::optional<Sum> of_sum(const Graph& graph, const TensorOp& op) {
  if (is(op, Op::arithmetic)) return of_arithmetic(graph, op);
  if (is(op, Op::eltwise)) return of_eltwise(op);
  if (is(op, Op::scale)) return of_scale(graph, op);
  if (is(op, Op::power)) return of_power(op);
  return std::nullopt;
}

// Returns the blob with its repeated axes expanded.
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

// Layers between a sum and its softmax that only move elements, or cut them far below the scores.
bool is_move(const TensorOp& op) {
  if (is(op, Op::reshape) || is(op, Op::permute)) return true;
  const auto& p = op.tg_clip_param();
  return is(op, Op::clip) && p.min() <= kMasked && p.max() >= FLT_MAX;
}

// The elements in the order of the transposed tensor.
Blob transposed(const Blob& blob, const TensorOp& permute) {
  const auto& order = permute.tg_permute_param().order();
  const size_t axes = blob.shape.size();
  std::vector<int64_t> strides(axes, 1);
  for (size_t axis = axes - 1; axis-- > 0;)
    strides[axis] = strides[axis + 1] * blob.shape[axis + 1];
  Blob result{net::dims(permute.output_shape(0)), std::vector<float>(blob.data.size())};
  for (size_t i = 0; i < result.data.size(); ++i) {
    int64_t from = 0, rest = static_cast<int64_t>(i);
    for (size_t axis = axes; axis-- > 0; rest /= result.shape[axis])
      from += rest % result.shape[axis] * strides[order[static_cast<int>(axis)]];
    result.data[i] = blob.data[static_cast<size_t>(from)];
  }
  return result;
}

// The tensor behind the same move.
std::string moved(Graph& graph, const std::string& tensor, const TensorOp& move) {
  if (is(move, Op::clip)) return tensor;
  if (is(move, Op::reshape)) return graph.view(tensor, net::dims(move.output_shape(0)));
  TensorOp op = move;
  op.clear_input_shape();
  op.set_bottom(0, graph.view(tensor, net::dims(move.input_shape(0))));
  std::string name = tensor + "/" + move.name();
  while (graph.has_op(name)) name += "'";
  op.set_name(name);
  op.set_top(0, op.name());
  return graph.add(std::move(op), {});
}

Blob moved(Blob blob, const TensorOp& move) {
  if (is(move, Op::permute)) return transposed(blob, move);
  if (is(move, Op::reshape)) blob.shape = net::dims(move.output_shape(0));
  if (is(move, Op::clip))
    for (float& value : blob.data) value = std::max(value, move.tg_clip_param().min());
  return blob;
}

// A sum, and the layers from it to the softmax, the last one first. Copies: layers that are added
// to the net move the others.
struct Found {
  Sum sum;
  std::string result;
  std::vector<TensorOp> moves;
};

std::optional<Found> find_sum(const Graph& graph, const std::string& tensor) {
  Found found{{}, tensor, {}};
  for (;;) {
    const TensorOp* op = graph.network.producer(found.result);
    if (op == nullptr || graph.thresholds.contains(found.result)) return std::nullopt;
    if (auto sum = of_sum(graph, *op)) {
      found.sum = std::move(*sum);
      return found;
    }
    if (!is_move(*op)) return std::nullopt;
    found.moves.push_back(*op);
    found.result = op->bottom(0);
  }
}

// Takes one sum out of `from`, whose x is the softmax's input. False if there is none.
bool take_sum(Node& node, Addends& from) {
  Graph& graph = node.graph;
  auto found = find_sum(graph, from.x);
  if (!found) return false;
  Sum& sum = found->sum;
  const Dims dims = graph.dims(found->result);
  const bool is_moved = !found->moves.empty();
  // One tensor is added at most, which moves only if it has all elements.
  if (!sum.tensor.empty() && (!from.tensor.empty() || (is_moved && graph.dims(sum.tensor) != dims)))
    return false;
  graph.dispensable.insert(found->result);
  for (const TensorOp& move : found->moves) graph.dispensable.insert(move.top(0));
  if (sum.is_negative) sum.tensor = power(node, sum.tensor, -1, 0, 1, "negative");
  if (sum.weights && is_moved) sum.weights = repeated(*sum.weights, dims);
  for (size_t i = found->moves.size(); i-- > 0;) {
    sum.x = moved(graph, sum.x, found->moves[i]);
    if (!sum.tensor.empty()) sum.tensor = moved(graph, sum.tensor, found->moves[i]);
    if (sum.weights) sum.weights = moved(std::move(*sum.weights), found->moves[i]);
  }
  if (sum.weights && from.weights) {
    const Dims all = graph.dims(sum.x);
    Blob total = repeated(*from.weights, all);
    const Blob other = repeated(*sum.weights, all);
    for (size_t i = 0; i < total.data.size(); ++i) total.data[i] += other.data[i];
    from.weights = std::move(total);
  } else if (sum.weights) {
    from.weights = std::move(sum.weights);
  }
  if (!sum.tensor.empty()) from.tensor = sum.tensor;
  from.x = sum.x;
  return true;
}

}  // namespace

std::optional<Addends> addends_of(Node& node, const std::string& tensor) {
  Addends addends{tensor, "", std::nullopt};
  while (take_sum(node, addends)) {
  }
  if (addends.x == tensor) return std::nullopt;
  return addends;
}

namespace {

bool moves_mask(const TensorOp& op) {
  return is(op, Op::reshape) || is(op, Op::permute) || is(op, Op::tile);
}

bool adds_mask(const Graph& graph, const TensorOp& op) {
  return is(op, Op::eltwise) || is(op, Op::arithmetic) ? of_sum(graph, op).has_value() : false;
}

}  // namespace

std::optional<std::string> mask_of(const Graph& graph, const std::string& tensor) {
  if (graph.masks.contains(tensor)) return tensor;
  const TensorOp* op = graph.network.producer(tensor);
  if (op == nullptr || !(moves_mask(*op) || adds_mask(graph, *op))) return std::nullopt;
  for (const std::string& bottom : op->bottom())
    if (auto mask = mask_of(graph, bottom)) return mask;
  return std::nullopt;
}

namespace {

// Returns the layer of the constant that is a part of a Where, before its views.
const TensorOp& part_of_where(const Graph& graph, const std::string& mask) {
  const TensorOp* op = graph.network.producer(mask);
  while (is(*op, Op::reshape)) op = graph.network.producer(op->bottom(0));
  return *op;
}

void restore_infinite(Graph& graph, const std::string& tensor) {
  if (const auto mask = mask_of(graph, tensor))
    for (float& value : graph.network.blobs.at(part_of_where(graph, *mask).name())[0].data)
      if (value == -FLT_MAX) value = -INFINITY;
}

// Other layers than a Softmax, and the net's user, read the -inf of a Where itself. A Softmax has
// the lowest float in its place, so that rows that are masked whole have no NaN.
void restore_infinite(Graph& graph, const TensorOp& op) {
  if (moves_mask(op) || adds_mask(graph, op)) return;
  if (is(op, Op::softmax) && !op.tg_softmax_param().log()) return;
  for (const std::string& bottom : op.bottom()) restore_infinite(graph, bottom);
}

}  // namespace

void remove_dispensable(Graph& graph, const std::vector<std::string>& outputs) {
  auto& ops = graph.network.ops;
  for (size_t i = ops.size(); i-- > 0;) {
    const std::string top = ops[i].top(0);
    if (!graph.dispensable.contains(top)) continue;
    if (graph.network.is_read(top) || std::ranges::find(outputs, top) != outputs.end()) continue;
    graph.network.blobs.erase(ops[i].name());
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const TensorOp& op : ops) restore_infinite(graph, op);
  for (const std::string& output : outputs) restore_infinite(graph, output);
}

}  // namespace tputwin::net::onnx_reader

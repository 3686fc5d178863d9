// Bounds of a tensor's values that follow from the operations before it.
#include "bmnet/onnx/reader/bounds.h"

#include <algorithm>
#include <cmath>

namespace tputwin::net::onnx_reader {
namespace {

// Number of operations to look back through. Beyond them, values count as unbounded.
constexpr int kDepth = 12;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Bounds look_back(const Graph& graph, const std::string& tensor, int depth);

Bounds cut(const Bounds& x, double least, double most) {
  return {std::clamp(x.least, least, most), std::clamp(x.most, least, most)};
}

Bounds hull(const Bounds& a, const Bounds& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

Bounds scaled(const Bounds& x, double factor) {
  if (factor == 0) return {0, 0};
  return factor > 0 ? Bounds{x.least * factor, x.most * factor}
                    : Bounds{x.most * factor, x.least * factor};
}

Bounds of_activation(const TensorOp& op, const Bounds& x) {
  if (is_plain_relu(op)) return cut(x, 0, kInfinity);
  switch (op.tg_activation_param().activation()) {
    case ::bmnet::SIGMOID:
      return {0, 1};
    case ::bmnet::TANH:
      return {-1, 1};
    case ::bmnet::ABS:
      return {0, std::max(-x.least, x.most)};
    default:
      return {};
  }
}

Bounds of_function(const TensorOp& op) {
  const std::string& name = op.tg_function_param().name();
  if (name == "hard_sigmoid" || name.starts_with("is_")) return {0, 1};
  if (name == "exp" || name == "softplus" || name == "sqrt") return {0, kInfinity};
  if (name == "sin" || name == "cos" || name == "erf" || name == "softsign" || name == "sign")
    return {-1, 1};
  if (name == "hard_swish") return {-0.375, kInfinity};
  return {};
}

Bounds of_eltwise(const Graph& graph, const TensorOp& op, int depth) {
  const auto& p = op.tg_eltwise_param();
  Bounds result = look_back(graph, op.bottom(0), depth);
  if (p.operation() == ::bmnet::TGEltwiseParameter::PROD) {
    for (int i = 1; i < op.bottom_size(); ++i)
      if (look_back(graph, op.bottom(i), depth).least < 0) return {};
    return result.least < 0 ? Bounds{} : Bounds{0, kInfinity};
  }
  const bool sums = p.operation() == ::bmnet::TGEltwiseParameter::SUM;
  const auto factor = [&](int i) { return sums && i < p.coeff_size() ? p.coeff(i) : 1.0f; };
  result = scaled(result, factor(0));
  for (int i = 1; i < op.bottom_size(); ++i) {
    const Bounds other = scaled(look_back(graph, op.bottom(i), depth), factor(i));
    if (sums)
      result = {result.least + other.least, result.most + other.most};
    else
      result = {std::max(result.least, other.least), std::max(result.most, other.most)};
  }
  return result;
}

// Returns true if weights are not negative and sum up to at most 1. Results are then between 0 and
// the values.
bool averages(const TensorOp& op) {
  const auto& p = op.tg_resample_param();
  const auto side = [](const auto& weights, int taps) {
    for (int first = 0; taps > 0 && first + taps <= weights.size(); first += taps) {
      float sum = 0;
      for (int i = 0; i < taps; ++i) {
        if (weights.Get(first + i) < 0) return false;
        sum += weights.Get(first + i);
      }
      if (sum > 1.0001f) return false;
    }
    return true;
  };
  return side(p.row_weight(), static_cast<int>(p.row_taps())) &&
         side(p.column_weight(), static_cast<int>(p.column_taps()));
}

bool picks_or_averages(const TensorOp& op) {
  using Kind = ::bmnet::TGReductionParameter;
  const auto kind = op.tg_reduction_param().operation();
  if (is(op, Op::reduction)) return kind == Kind::MEAN || kind == Kind::MAX || kind == Kind::MIN;
  if (is(op, Op::resample)) return averages(op);
  return is(op, Op::pooling);
}

Bounds look_back(const Graph& graph, const std::string& tensor, int depth) {
  const TensorOp* op = graph.network.producer(tensor);
  if (depth == 0 || op == nullptr || op->bottom().empty()) return {};
  const auto input = [&](int i) { return look_back(graph, op->bottom(i), depth - 1); };
  if (is(*op, Op::activation)) return of_activation(*op, input(0));
  if (is(*op, Op::clip)) return cut(input(0), op->tg_clip_param().min(), op->tg_clip_param().max());
  if (is(*op, Op::function)) return of_function(*op);
  if (is(*op, Op::softmax) && !op->tg_softmax_param().log()) return {0, 1};
  if (is(*op, Op::eltwise)) return of_eltwise(graph, *op, depth - 1);
  if (has_trait(*op, trait::keeps_threshold)) return input(0);
  // Pads count as zeros, so the bounds include 0.
  if (picks_or_averages(*op)) return hull(input(0), {0, 0});
  if (!is(*op, Op::concat)) return {};
  Bounds all = input(0);
  for (int i = 1; i < op->bottom_size(); ++i) all = hull(all, input(i));
  return all;
}

}  // namespace

Bounds bounds_of(const Graph& graph, const std::string& tensor) {
  return look_back(graph, tensor, kDepth);
}

}  // namespace tputwin::net::onnx_reader

// Folding of nodes with constant inputs: functions of one and two values, and reductions.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using onnx::TensorProto;

const Constant& first(const Node& node) { return node.weights(0, "input"); }

void check_size(const Node& node, int64_t count) {
  node.require(count >= 0 && count <= kMostFolded, "result", std::to_string(count),
               fmt::format("at most {} elements of constants", kMostFolded));
}

template <class Function>
ConstantPtr map(const Node& node, const Function& function) {
  const Constant& x = first(node);
  std::vector<double> values;
  for (size_t i = 0; i < x.size(); ++i) values.push_back(function(x.at(i)));
  return make_constant(x.dims, x.type, values);
}

// Returns the index of the operand's element that element `i` of the result reads.
size_t source(size_t i, const Dims& result, const Dims& operand) {
  size_t index = 0, step = 1;
  for (size_t k = 0; k < operand.size(); ++k) {
    const auto extent = static_cast<size_t>(result[result.size() - 1 - k]);
    const auto own = static_cast<size_t>(operand[operand.size() - 1 - k]);
    if (own != 1) index += i % extent * step;
    step *= own;
    i /= extent;
  }
  return index;
}

template <class Function>
ConstantPtr zip(const Node& node, const Function& function, std::optional<int> type = {}) {
  const Constant &a = first(node), &b = node.weights(1, "B");
  Dims result = broadcast(node, a.dims, b.dims);
  const int64_t count = elements(result);
  check_size(node, count);
  std::vector<double> values;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    values.push_back(function(a.at(source(i, result, a.dims)), b.at(source(i, result, b.dims))));
  return make_constant(std::move(result), type.value_or(a.type), values);
}

template <class Function>
ConstantPtr reduce(const Node& node, double start, const Function& function, bool mean = false) {
  const Constant& x = first(node);
  const bool axes_are_input = node.opset >= (node.proto.op_type() == "ReduceSum" ? 13 : 18);
  const auto axes = axes_are_input ? node.list(1, "axes") : std::optional(node.integers("axes"));
  std::vector<bool> reduced(x.dims.size(), !axes || axes->empty());
  if (axes)
    for (int64_t axis : *axes) reduced[node.axis(axis, x.dims.size())] = true;
  Dims result, kept;
  int64_t length = 1;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    kept.push_back(reduced[i] ? 1 : x.dims[i]);
    if (reduced[i]) length *= x.dims[i];
    if (!reduced[i] || node.integer("keepdims", 1) != 0) result.push_back(kept.back());
  }
  std::vector<double> values(static_cast<size_t>(elements(kept)), start);
  for (size_t i = 0; i < x.size(); ++i) {
    double& value = values[source(i, x.dims, kept)];
    value = function(value, x.at(i));
  }
  if (mean)
    for (double& value : values) value /= static_cast<double>(length);
  return make_constant(std::move(result), x.type, values);
}

}  // namespace

ConstantPtr fold_relu(const Node& n) {
  return map(n, [](double x) { return std::max(x, 0.0); });
}
ConstantPtr fold_sigmoid(const Node& n) {
  return map(n, [](double x) { return 1 / (1 + std::exp(-x)); });
}
ConstantPtr fold_tanh(const Node& n) {
  return map(n, [](double x) { return std::tanh(x); });
}
ConstantPtr fold_abs(const Node& n) {
  return map(n, [](double x) { return std::fabs(x); });
}
ConstantPtr fold_exp(const Node& n) {
  return map(n, [](double x) { return std::exp(x); });
}
ConstantPtr fold_log(const Node& n) {
  return map(n, [](double x) { return std::log(x); });
}
ConstantPtr fold_sqrt(const Node& n) {
  return map(n, [](double x) { return std::sqrt(x); });
}
ConstantPtr fold_reciprocal(const Node& n) {
  return map(n, [](double x) { return 1 / x; });
}
ConstantPtr fold_neg(const Node& n) {
  return map(n, [](double x) { return -x; });
}
ConstantPtr fold_erf(const Node& n) {
  return map(n, [](double x) { return std::erf(x); });
}
ConstantPtr fold_floor(const Node& n) {
  return map(n, [](double x) { return std::floor(x); });
}
ConstantPtr fold_ceil(const Node& n) {
  return map(n, [](double x) { return std::ceil(x); });
}
ConstantPtr fold_round(const Node& n) {
  return map(n, [](double x) { return std::nearbyint(x); });
}
ConstantPtr fold_sign(const Node& n) {
  return map(n, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
}
ConstantPtr fold_sin(const Node& n) {
  return map(n, [](double x) { return std::sin(x); });
}
ConstantPtr fold_cos(const Node& n) {
  return map(n, [](double x) { return std::cos(x); });
}
ConstantPtr fold_not(const Node& n) {
  return map(n, [](double x) { return x == 0 ? 1.0 : 0.0; });
}

ConstantPtr fold_clip(const Node& n) {
  double least = n.real("min", -INFINITY), most = n.real("max", INFINITY);
  if (n.has(1)) least = n.weights(1, "min").size() == 1 ? n.constant(1)->at(0) : least;
  if (n.has(2)) most = n.weights(2, "max").size() == 1 ? n.constant(2)->at(0) : most;
  return map(n, [=](double x) { return std::min(std::max(x, least), most); });
}

ConstantPtr fold_add(const Node& n) { return zip(n, std::plus<double>()); }
ConstantPtr fold_sub(const Node& n) { return zip(n, std::minus<double>()); }
ConstantPtr fold_mul(const Node& n) { return zip(n, std::multiplies<double>()); }
ConstantPtr fold_pow(const Node& n) {
  return zip(n, [](double a, double b) { return std::pow(a, b); });
}
ConstantPtr fold_max(const Node& n) {
  return zip(n, [](double a, double b) { return std::max(a, b); });
}
ConstantPtr fold_min(const Node& n) {
  return zip(n, [](double a, double b) { return std::min(a, b); });
}
ConstantPtr fold_div(const Node& n) {
  const bool whole = first(n).is_integer();
  return zip(n, [&](double a, double b) {
    n.require(!whole || b != 0, "B", "0", "integers are divided by others");
    return whole ? std::trunc(a / b) : a / b;
  });
}
ConstantPtr fold_mod(const Node& n) {
  const bool as_c = n.integer("fmod", 0) != 0;
  return zip(n, [&](double a, double b) {
    n.require(b != 0, "B", "0", "another divisor");
    return as_c ? std::fmod(a, b) : a - b * std::floor(a / b);
  });
}

// ---- Booleans ----

namespace {

template <class Function>
ConstantPtr compare(const Node& n, const Function& function) {
  return zip(
      n, [&](double a, double b) { return function(a, b) ? 1.0 : 0.0; }, TensorProto::BOOL);
}

}  // namespace

ConstantPtr fold_equal(const Node& n) { return compare(n, std::equal_to<double>()); }
ConstantPtr fold_greater(const Node& n) { return compare(n, std::greater<double>()); }
ConstantPtr fold_less(const Node& n) { return compare(n, std::less<double>()); }
ConstantPtr fold_greater_or_equal(const Node& n) {
  return compare(n, std::greater_equal<double>());
}
ConstantPtr fold_less_or_equal(const Node& n) { return compare(n, std::less_equal<double>()); }
ConstantPtr fold_and(const Node& n) { return compare(n, std::logical_and<double>()); }
ConstantPtr fold_or(const Node& n) { return compare(n, std::logical_or<double>()); }
ConstantPtr fold_xor(const Node& n) {
  return compare(n, [](double a, double b) { return (a != 0) != (b != 0); });
}

ConstantPtr fold_where(const Node& n) {
  const Constant &c = first(n), &a = n.weights(1, "X"), &b = n.weights(2, "Y");
  Dims result = broadcast(n, broadcast(n, c.dims, a.dims), b.dims);
  const int64_t count = elements(result);
  check_size(n, count);
  std::vector<double> values;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    values.push_back(c.at(source(i, result, c.dims)) != 0 ? a.at(source(i, result, a.dims))
                                                          : b.at(source(i, result, b.dims)));
  return make_constant(std::move(result), a.type, values);
}

ConstantPtr fold_reduce_sum(const Node& n) { return reduce(n, 0, std::plus<double>()); }
ConstantPtr fold_reduce_mean(const Node& n) { return reduce(n, 0, std::plus<double>(), true); }
ConstantPtr fold_reduce_prod(const Node& n) { return reduce(n, 1, std::multiplies<double>()); }
ConstantPtr fold_reduce_max(const Node& n) {
  return reduce(n, -INFINITY, [](double a, double b) { return std::max(a, b); });
}
ConstantPtr fold_reduce_min(const Node& n) {
  return reduce(n, INFINITY, [](double a, double b) { return std::min(a, b); });
}

}  // namespace tputwin::net::onnx_reader

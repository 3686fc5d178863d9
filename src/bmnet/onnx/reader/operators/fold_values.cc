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

// Values of folders are doubles, or integers of 128 bits if all inputs are integers.
template <class Value>
Value value_at(const Constant& constant, size_t i) {
  if constexpr (std::is_same_v<Value, double>)
    return constant.at(i);
  else
    return whole_at(constant, i);
}

ConstantPtr made(Dims dims, int type, const std::vector<double>& values) {
  return make_constant(std::move(dims), type, values);
}
ConstantPtr made(Dims dims, int type, const std::vector<Whole>& values) {
  return make_whole(std::move(dims), type, values);
}

__extension__ using WideBits = unsigned __int128;

template <class Value, class Function>
ConstantPtr map_as(const Constant& x, const Function& function) {
  std::vector<Value> values;
  for (size_t i = 0; i < x.size(); ++i) values.push_back(function(value_at<Value>(x, i)));
  return made(x.dims, x.type, values);
}

template <class Function>
ConstantPtr map(const Node& node, const Function& function) {
  return map_as<double>(first(node), function);
}

// Maps integers as integers.
template <class Function>
ConstantPtr map_any(const Node& node, const Function& function) {
  const Constant& x = first(node);
  return x.is_integer() ? map_as<Whole>(x, function) : map_as<double>(x, function);
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

template <class Value, class Function>
ConstantPtr zip_as(const Node& node, const Function& function, std::optional<int> type) {
  const Constant &a = first(node), &b = node.weights(1, "B");
  Dims result = broadcast(node, a.dims, b.dims);
  const int64_t count = elements(result);
  check_size(node, count);
  using Result = decltype(function(Value{}, Value{}));
  std::vector<std::conditional_t<std::is_same_v<Result, bool>, Whole, Result>> values;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    values.push_back(function(value_at<Value>(a, source(i, result, a.dims)),
                              value_at<Value>(b, source(i, result, b.dims))));
  return made(std::move(result), type.value_or(a.type), values);
}

template <class Function>
ConstantPtr zip(const Node& node, const Function& function, std::optional<int> type = {}) {
  const bool whole = first(node).is_integer() && node.weights(1, "B").is_integer();
  return whole ? zip_as<Whole>(node, function, type) : zip_as<double>(node, function, type);
}

struct Reduced {
  Dims result, kept;   // with and without `keepdims`
  int64_t length = 1;  // values of each result
};

Reduced reduced(const Node& node) {
  const Dims& x = node.dims();
  const bool axes_are_input = node.opset >= (node.proto.op_type() == "ReduceSum" ? 13 : 18);
  const auto axes = axes_are_input ? node.list(1, "axes") : std::optional(node.integers("axes"));
  std::vector<bool> is_reduced(x.size(), !axes || axes->empty());
  if (axes)
    for (int64_t axis : *axes) is_reduced[node.axis(axis, x.size())] = true;
  Reduced dims;
  for (size_t i = 0; i < x.size(); ++i) {
    dims.kept.push_back(is_reduced[i] ? 1 : x[i]);
    if (is_reduced[i]) dims.length *= x[i];
    if (!is_reduced[i] || node.integer("keepdims", 1) != 0) dims.result.push_back(dims.kept.back());
  }
  return dims;
}

template <class Value, class Function>
std::vector<Value> reduced_values(const Node& node, const Dims& kept, Value start,
                                  const Function& function) {
  const Constant& x = first(node);
  std::vector<Value> values(static_cast<size_t>(elements(kept)), start);
  for (size_t i = 0; i < x.size(); ++i) {
    Value& value = values[source(i, x.dims, kept)];
    value = function(value, value_at<Value>(x, i));
  }
  return values;
}

// ONNX Runtime reduces integers in doubles, too, and then takes the nearest integer of the type.
template <class Function>
ConstantPtr reduce(const Node& node, double start, const Function& function, bool mean = false) {
  const Reduced dims = reduced(node);
  auto values = reduced_values<double>(node, dims.kept, start, function);
  if (mean)
    for (double& value : values) value /= static_cast<double>(dims.length);
  return make_saturated(dims.result, first(node).type, values);
}

// The largest or smallest values.
template <class Better>
ConstantPtr extreme(const Node& node, const Better& better, double start) {
  const Reduced dims = reduced(node);
  const auto best = [&](auto a, auto b) { return better(b, a) ? b : a; };
  if (!first(node).is_integer())
    return made(dims.result, first(node).type,
                reduced_values<double>(node, dims.kept, start, best));
  const Whole worst = start < 0 ? -(Whole{1} << 64) : Whole{1} << 64;
  return made(dims.result, first(node).type, reduced_values<Whole>(node, dims.kept, worst, best));
}

}  // namespace

ConstantPtr fold_relu(const Node& n) {
  return map_any(n, [](auto x) { return x < 0 ? decltype(x){0} : x; });
}
ConstantPtr fold_sigmoid(const Node& n) {
  return map(n, [](double x) { return 1 / (1 + std::exp(-x)); });
}
ConstantPtr fold_tanh(const Node& n) {
  return map(n, [](double x) { return std::tanh(x); });
}
ConstantPtr fold_abs(const Node& n) {
  return map_any(n, [](auto x) { return x > 0 ? x : decltype(x){0} - x; });
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
  return map_any(n, [](auto x) { return -x; });
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
  return map_any(n, [](auto x) {
    using Value = decltype(x);
    return x > 0 ? Value{1} : x < 0 ? Value{-1} : x == 0 ? Value{0} : x;
  });
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

namespace {

template <class Value>
ConstantPtr clip(const Node& n, Value least, Value most) {
  const auto bound = [&](size_t input, std::string_view name, Value otherwise) {
    if (!n.has(input) || n.weights(input, name).size() != 1) return otherwise;
    return value_at<Value>(*n.constant(input), 0);
  };
  least = bound(1, "min", least);
  most = bound(2, "max", most);
  return map_as<Value>(first(n), [=](Value x) { return std::min(std::max(x, least), most); });
}

}  // namespace

ConstantPtr fold_clip(const Node& n) {
  if (first(n).is_integer()) return clip<Whole>(n, -(Whole{1} << 64), Whole{1} << 64);
  return clip<double>(n, n.real("min", -INFINITY), n.real("max", INFINITY));
}

ConstantPtr fold_add(const Node& n) { return zip(n, std::plus<>()); }
ConstantPtr fold_sub(const Node& n) { return zip(n, std::minus<>()); }
ConstantPtr fold_mul(const Node& n) {
  // Products of uint64 have 128 bits, one more than the type holds with its sign.
  return zip(n, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>)
      return a * b;
    else
      return static_cast<Whole>(static_cast<WideBits>(a) * static_cast<WideBits>(b));
  });
}
// ONNX Runtime multiplies where the exponent is 2 or 3, and else computes in doubles.
ConstantPtr fold_pow(const Node& n) {
  const Constant& exponent = n.weights(1, "B");
  const double power = exponent.size() == 1 ? exponent.at(0) : 0;
  if (first(n).is_integer() && (power == 2 || power == 3)) {
    const auto type = [](auto x) { return static_cast<WideBits>(x); };
    return zip_as<Whole>(
        n,
        [&](Whole x, auto) {
          return static_cast<Whole>(type(x) * type(x) * (power == 3 ? type(x) : 1));
        },
        {});
  }
  return zip_as<double>(n, [](double a, double b) { return std::pow(a, b); }, {});
}
// NaN remains; of two zeros the second one.
ConstantPtr fold_max(const Node& n) {
  return zip(n, [](auto a, auto b) { return a > b || a != a ? a : b; });
}
ConstantPtr fold_min(const Node& n) {
  return zip(n, [](auto a, auto b) { return a < b || a != a ? a : b; });
}
ConstantPtr fold_div(const Node& n) {
  return zip(n, [&](auto a, auto b) {
    n.require(std::is_same_v<decltype(a), double> || b != 0, "B", "0",
              "integers are divided by others");
    return a / b;
  });
}
ConstantPtr fold_mod(const Node& n) {
  const bool as_c = n.integer("fmod", 0) != 0;
  return zip(n, [&](auto a, auto b) {
    n.require(std::is_same_v<decltype(a), double> || b != 0, "B", "0", "another divisor");
    if constexpr (std::is_same_v<decltype(a), double>) {
      return as_c ? std::fmod(a, b) : a - b * std::floor(a / b);
    } else {
      const Whole rest = a % b;
      return !as_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
  });
}

// ---- Bits ----

namespace {

// Zips integers, which have no other function of these names.
template <class Function>
ConstantPtr zip_bits(const Node& n, const Function& function) {
  return zip_as<Whole>(n, function, {});
}

}  // namespace

ConstantPtr fold_bitwise_and(const Node& n) { return zip_bits(n, std::bit_and<>()); }
ConstantPtr fold_bitwise_or(const Node& n) { return zip_bits(n, std::bit_or<>()); }
ConstantPtr fold_bitwise_xor(const Node& n) { return zip_bits(n, std::bit_xor<>()); }
ConstantPtr fold_bitwise_not(const Node& n) {
  return map_as<Whole>(first(n), [](Whole x) { return ~x; });
}
ConstantPtr fold_bit_shift(const Node& n) {
  const bool is_left = n.text("direction", "") == "LEFT";
  return zip_bits(n, [&](Whole x, Whole by) {
    n.require(by >= 0 && by < 64, "Y", std::to_string(static_cast<int64_t>(by)), "from 0 to 63");
    return is_left ? static_cast<Whole>(static_cast<WideBits>(x) << by) : x >> by;
  });
}

// ---- Booleans ----

namespace {

template <class Function>
ConstantPtr compare(const Node& n, const Function& function) {
  return zip(n, function, TensorProto::BOOL);
}

}  // namespace

ConstantPtr fold_equal(const Node& n) { return compare(n, std::equal_to<>()); }
ConstantPtr fold_greater(const Node& n) { return compare(n, std::greater<>()); }
ConstantPtr fold_less(const Node& n) { return compare(n, std::less<>()); }
ConstantPtr fold_greater_or_equal(const Node& n) { return compare(n, std::greater_equal<>()); }
ConstantPtr fold_less_or_equal(const Node& n) { return compare(n, std::less_equal<>()); }
ConstantPtr fold_and(const Node& n) { return compare(n, std::logical_and<>()); }
ConstantPtr fold_or(const Node& n) { return compare(n, std::logical_or<>()); }
ConstantPtr fold_xor(const Node& n) {
  return compare(n, [](auto a, auto b) { return (a != 0) != (b != 0); });
}

namespace {

template <class Value>
ConstantPtr where(const Node& n, const Constant& c, const Constant& a, const Constant& b) {
  Dims result = broadcast(n, broadcast(n, c.dims, a.dims), b.dims);
  const int64_t count = elements(result);
  check_size(n, count);
  std::vector<Value> values;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    values.push_back(c.at(source(i, result, c.dims)) != 0
                         ? value_at<Value>(a, source(i, result, a.dims))
                         : value_at<Value>(b, source(i, result, b.dims)));
  return made(std::move(result), a.type, values);
}

}  // namespace

ConstantPtr fold_where(const Node& n) {
  const Constant &c = first(n), &a = n.weights(1, "X"), &b = n.weights(2, "Y");
  return a.is_integer() && b.is_integer() ? where<Whole>(n, c, a, b) : where<double>(n, c, a, b);
}

ConstantPtr fold_reduce_sum(const Node& n) { return reduce(n, 0, std::plus<double>()); }
ConstantPtr fold_reduce_mean(const Node& n) { return reduce(n, 0, std::plus<double>(), true); }
ConstantPtr fold_reduce_prod(const Node& n) { return reduce(n, 1, std::multiplies<double>()); }
ConstantPtr fold_reduce_max(const Node& n) { return extreme(n, std::greater<>(), -INFINITY); }
ConstantPtr fold_reduce_min(const Node& n) { return extreme(n, std::less<>(), INFINITY); }

}  // namespace tputwin::net::onnx_reader

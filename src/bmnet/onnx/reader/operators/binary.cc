// Arithmetic of two or more tensors, with extents of 1 repeated.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

using Arithmetic = ::bmnet::TGArithmeticParameter;
using Eltwise = ::bmnet::TGEltwiseParameter;
using Operation = Arithmetic::ArithmeticOp;

Dims with_axes(const Dims& dims, size_t axes) {
  Dims result(axes - dims.size(), 1);
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

// Shapes of operands with at most four axes. Neighbouring axes are merged if each operand repeats
// both or neither.
struct Aligned {
  Dims a, b, result;
  bool fits() const { return result.size() <= 4; }
};

Aligned align(const Node& node, const Dims& left, const Dims& right) {
  const Dims result = broadcast(node, left, right);
  if (result.empty()) return {{1}, {1}, {1}};
  Aligned full{with_axes(left, result.size()), with_axes(right, result.size()), result};
  if (result.size() <= 4) return full;
  Aligned joined;
  for (size_t i = 0; i < result.size(); ++i) {
    const bool joins = i > 0 && (full.a[i] == 1) == (full.a[i - 1] == 1) &&
                       (full.b[i] == 1) == (full.b[i - 1] == 1);
    const bool is_one = result[i] == 1 && !joined.result.empty();
    if (joins || is_one) {
      joined.a.back() *= full.a[i];
      joined.b.back() *= full.b[i];
      joined.result.back() *= result[i];
    } else {
      joined.a.push_back(full.a[i]);
      joined.b.push_back(full.b[i]);
      joined.result.push_back(result[i]);
    }
  }
  return joined;
}

// Repeats both operands first, so that their axes can be joined.
void expand_both(Node& node) {
  const Dims result = broadcast(node, node.dims(0), node.dims(1));
  Expansion made(node);
  std::vector<std::string> operands;
  for (const size_t i : {size_t{0}, size_t{1}})
    operands.push_back(node.dims(i) == result
                           ? made.in(i)
                           : made.add("Expand", {made.in(i), made.integers(result)}));
  made.set(made.add(node.proto.op_type().c_str(), operands));
}

std::string tiled(Node& node, std::string tensor, const Dims& from, const Dims& to,
                  const std::string& what) {
  tensor = node.view(tensor, from);
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == to[axis]) continue;
    TensorOp op = make_op(Op::tile);
    op.mutable_tg_tile_param()->set_axis(static_cast<int>(axis));
    op.mutable_tg_tile_param()->set_tiles(static_cast<int>(to[axis]));
    tensor = node.add(std::move(op), {tensor}, fmt::format("{}{}", what, axis));
  }
  return tensor;
}

// Sets `y`, with the extents `result`, as the result of the node.
void finish(Node& node, const std::string& y, const Dims& result) {
  node.set(node.graph.dims(y) == net_dims(result) ? y : node.view(y, net_dims(result)), result);
}

// Adds an eltwise operation for two tensors, tiled to one shape.
void elementwise(Node& node, Eltwise::EltwiseOp operation, std::vector<float> coefficients) {
  const Aligned shapes = align(node, node.dims(0), node.dims(1));
  if (!shapes.fits()) return expand_both(node);
  const std::string a = node.view(node.tensor(0), shapes.a),
                    b = node.view(node.tensor(1), shapes.b);
  TensorOp op = make_op(Op::eltwise);
  op.mutable_tg_eltwise_param()->set_operation(operation);
  for (float c : coefficients) op.mutable_tg_eltwise_param()->add_coeff(c);
  // A product accepts one value per channel without tiling.
  const auto per_channel = [](const Dims& x, const Dims& y) {
    return x.size() == 4 && x[2] * x[3] > 1 && y == Dims{x[0], x[1], 1, 1};
  };
  const bool product = operation == Eltwise::PROD;
  const Dims result = broadcast(node, node.dims(0), node.dims(1));
  if (product && per_channel(shapes.a, shapes.b))
    return finish(node, node.add(std::move(op), {a, b}, ""), result);
  if (product && per_channel(shapes.b, shapes.a))
    return finish(node, node.add(std::move(op), {b, a}, ""), result);
  const std::string whole_a = tiled(node, a, shapes.a, shapes.result, "a");
  const std::string whole_b = tiled(node, b, shapes.b, shapes.result, "b");
  finish(node, node.add(std::move(op), {whole_a, whole_b}, ""), result);
}

bool has_infinite(const Constant& constant) {
  return std::ranges::any_of(constant.real(), [](float v) { return !std::isfinite(v); });
}

// Adds an operation of the host for two tensors, or for a tensor and a constant.
void on_host(Node& node, Operation operation) {
  const Aligned shapes = align(node, node.dims(0), node.dims(1));
  if (!shapes.fits()) return expand_both(node);
  TensorOp op = make_op(Op::arithmetic);
  auto& p = *op.mutable_tg_arithmetic_param();
  p.set_operation(operation);
  const Constant *left = node.constant(0), *right = node.constant(1);
  const Dims result = broadcast(node, node.dims(0), node.dims(1));
  if (left == nullptr && right == nullptr)
    return finish(
        node,
        node.add(std::move(op),
                 {node.view(node.tensor(0), shapes.a), node.view(node.tensor(1), shapes.b)}, ""),
        result);
  const Constant& constant = left != nullptr ? *left : *right;
  const Dims& extents = left != nullptr ? shapes.a : shapes.b;
  p.set_is_b_const(true);
  p.set_reversed(left != nullptr);
  *p.mutable_b_shape() = make_shape(extents, 4);
  const size_t input = left != nullptr ? 1 : 0;
  const std::string x = node.view(node.tensor(input), left != nullptr ? shapes.b : shapes.a);
  const std::string y = node.add(std::move(op), {x}, "", {{extents, constant.real()}});
  finish(node, y, result);
}

// Returns a constant operand as one value for each channel of the other operand; nullopt if its
// shape does not permit that.
std::optional<std::vector<float>> per_channel(const Node& node, size_t input) {
  const Dims& x = node.dims(1 - input);
  const Constant& constant = *node.constant(input);
  if (x.size() < 2 || x.size() > 4 || constant.dims.size() > x.size()) return std::nullopt;
  const auto channels = static_cast<size_t>(x[1]);
  if (constant.size() == 1) return std::vector<float>(channels, constant.real()[0]);
  const Dims extents = with_axes(constant.dims, x.size());
  if (constant.size() != channels || extents[1] != x[1]) return std::nullopt;
  return constant.real();
}

// Adds factor * x + offset for a tensor and a constant. Returns false if the constant has neither
// one value nor one per channel.
bool affine(Node& node, Operation operation) {
  const size_t input = node.constant(0) != nullptr ? 0 : 1;
  const Constant& constant = *node.constant(input);
  const size_t other = 1 - input;
  if (operation == Arithmetic::DIV && input == 0) return false;
  if (has_infinite(constant)) return false;
  auto values = per_channel(node, input);
  const bool is_one = constant.size() == 1 && constant.dims.size() <= node.dims(other).size();
  if (!values && !is_one) return false;
  const float sign_x = operation == Arithmetic::SUB && input == 0 ? -1.0f : 1.0f;
  const float sign_c = operation == Arithmetic::SUB && input == 1 ? -1.0f : 1.0f;
  const bool adds = operation == Arithmetic::ADD || operation == Arithmetic::SUB;
  const auto factor = [&](float c) {
    return adds ? sign_x : operation == Arithmetic::DIV ? 1 / c : c;
  };
  const auto offset = [&](float c) { return adds ? sign_c * c : 0.0f; };
  const std::string x = node.tensor(other);
  if (!values) {
    const float c = constant.real()[0];
    finish(node, power(node, x, factor(c), offset(c), 1, ""), node.dims(other));
    return true;
  }
  std::vector<float> factors, offsets;
  for (float c : *values) factors.push_back(factor(c)), offsets.push_back(offset(c));
  finish(node, scaled(node, x, std::move(factors), std::move(offsets), ""), node.dims(other));
  return true;
}

bool has_constant(const Node& node) {
  return node.constant(0) != nullptr || node.constant(1) != nullptr;
}

// Returns the constant of one value among two operands, and its index.
std::optional<std::pair<float, size_t>> single(const Node& node) {
  for (size_t i : {size_t{0}, size_t{1}})
    if (const Constant* c = node.constant(i);
        c != nullptr && c->size() == 1 && c->dims.size() <= node.dims(1 - i).size())
      return std::pair(static_cast<float>(c->at(0)), i);
  return std::nullopt;
}

void arithmetic(Node& node, Operation operation, Eltwise::EltwiseOp eltwise,
                std::vector<float> coefficients) {
  if (!has_constant(node)) return elementwise(node, eltwise, std::move(coefficients));
  if (!affine(node, operation)) on_host(node, operation);
}

// Returns true if an operation for any number of tensors takes the operands: tensors of one shape.
bool are_alike(const Node& node) {
  for (size_t i = 0; i < node.inputs(); ++i)
    if (node.constant(i) != nullptr || node.dims(i) != node.dims()) return false;
  return true;
}

// Adds an operation for any number of tensors of one shape.
void many(Node& node, Eltwise::EltwiseOp operation, std::vector<float> coefficients) {
  TensorOp op = make_op(Op::eltwise);
  op.mutable_tg_eltwise_param()->set_operation(operation);
  for (float c : coefficients) op.mutable_tg_eltwise_param()->add_coeff(c);
  for (size_t i = 0; i < node.inputs(); ++i) op.add_bottom(node.tensor(i));
  node.set(node.add(std::move(op), {}, ""), node.dims());
}

// Applies an operator of two operands to one operand after the other: constants first, so that
// they are folded.
std::string one_by_one(Node& node, Expansion& made, const char* type) {
  std::vector<std::string> operands;
  for (const bool constants : {true, false})
    for (size_t i = 0; i < node.inputs(); ++i)
      if ((node.constant(i) != nullptr) == constants) operands.push_back(made.in(i));
  std::string y = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) y = made.add(type, {y, operands[i]});
  return y;
}

void bounded(Node& node, bool from_above) {
  const auto constant = single(node);
  if (!constant) return on_host(node, from_above ? Arithmetic::MIN : Arithmetic::MAX);
  node.require(!std::isnan(constant->first), node.proto.input(static_cast<int>(constant->second)),
               "nan", "a number: the result would be NaN everywhere; leave the node out");
  TensorOp op = make_op(Op::clip);
  auto& p = *op.mutable_tg_clip_param();
  from_above ? p.set_max(constant->first) : p.set_min(constant->first);
  const size_t other = 1 - constant->second;
  node.set(node.add(std::move(op), {node.tensor(other)}, ""), node.dims(other));
}

}  // namespace

void import_keep(Node& node) { on_host(node, Arithmetic::KEEP); }
void import_drop(Node& node) { on_host(node, Arithmetic::DROP); }
void import_add(Node& node) { arithmetic(node, Arithmetic::ADD, Eltwise::SUM, {}); }
void import_sub(Node& node) { arithmetic(node, Arithmetic::SUB, Eltwise::SUM, {1, -1}); }
void import_mul(Node& node) { arithmetic(node, Arithmetic::MUL, Eltwise::PROD, {}); }

void import_div(Node& node) {
  const auto constant = single(node);
  if (constant && constant->second == 0) {
    // c / x = (x / c)^-1
    if (constant->first == 0) node.refuse("A", "0", "a dividend that is not 0");
    const std::string y = power(node, node.tensor(1), 1 / constant->first, 0, -1, "");
    return finish(node, y, node.dims(1));
  }
  if (!has_constant(node) || !affine(node, Arithmetic::DIV)) on_host(node, Arithmetic::DIV);
}

void import_pow(Node& node) {
  const auto constant = single(node);
  if (!constant) return on_host(node, Arithmetic::POW);
  const auto [value, input] = *constant;
  const std::string x = node.tensor(1 - input);
  node.set(input == 1 ? power(node, x, 1, 0, value, "") : unary(node, x, "exponential", {value}),
           node.dims(1 - input));
}

void expand_sum(Node& node) {
  Expansion made(node);
  if (node.inputs() > 2 && are_alike(node)) return many(node, Eltwise::SUM, {});
  made.set(one_by_one(node, made, "Add"));
}

void expand_mean(Node& node) {
  const auto part = 1 / static_cast<float>(node.inputs());
  if (node.inputs() > 1 && are_alike(node))
    return many(node, Eltwise::SUM, std::vector<float>(node.inputs(), part));
  Expansion made(node);
  made.set(made.add("Mul", {one_by_one(node, made, "Add"), made.real(part)}));
}

namespace {

// Max with -inf and Min with inf give the other operand, which a Where chooses: no operation has
// infinite weights. Returns false if there are none among several.
bool chooses(Node& node, const char* type, float neutral) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Constant* constant = node.constant(i);
    if (constant == nullptr || constant->size() == 1 || constant->is_integer()) continue;
    std::vector<float> values = constant->reals;
    std::vector<int64_t> is_neutral;
    for (float& value : values) {
      is_neutral.push_back(value == neutral);
      if (value == neutral) value = 0;
    }
    if (std::ranges::count(is_neutral, 1) == 0) continue;
    Expansion made(node);
    const std::string x = made.in(1 - i), mask = made.booleans(constant->dims, is_neutral);
    const std::string y = made.add(type, {x, made.reals(constant->dims, values)});
    made.set(made.add("Where", {mask, x, y}));
    return true;
  }
  return false;
}

}  // namespace

void expand_max(Node& node) {
  if (node.inputs() == 2 && node.is_constant()) return node.set(fold_max(node));
  if (node.inputs() == 2 && chooses(node, "Max", -INFINITY)) return;
  if (node.inputs() == 2 && has_constant(node)) return bounded(node, false);
  if (node.inputs() == 2) return elementwise(node, Eltwise::MAX, {});
  if (node.inputs() > 2 && are_alike(node)) return many(node, Eltwise::MAX, {});
  Expansion made(node);
  made.set(one_by_one(node, made, "Max"));
}

void expand_min(Node& node) {
  if (node.inputs() == 2 && node.is_constant()) return node.set(fold_min(node));
  if (node.inputs() == 2 && chooses(node, "Min", INFINITY)) return;
  if (node.inputs() == 2) return bounded(node, true);
  Expansion made(node);
  made.set(one_by_one(node, made, "Min"));
}

// The rest of magnitudes, with the sign of the dividend; without fmod that of the divisor. A ratio
// that is rounded to the next whole number is corrected.
void import_mod(Node& node) {
  if (node.graph.has_subnets) return import_of_host(node);
  Expansion made(node);
  const auto where = [&](const char* comparison, const std::string& a, const std::string& b) {
    return made.add("Cast", {made.add(comparison, {a, b})},
                    {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  };
  const std::string zero = made.real(0), x = made.in(0), y = made.in(1);
  const std::string dividend = made.add("Abs", {x}), divisor = made.add("Abs", {y});
  const std::string ratio = made.add("Floor", {made.add("Div", {dividend, divisor})});
  std::string rest = made.add("Sub", {dividend, made.add("Mul", {ratio, divisor})});
  rest = made.add("Add", {rest, made.add("Mul", {where("Less", rest, zero), divisor})});
  rest =
      made.add("Sub", {rest, made.add("Mul", {where("GreaterOrEqual", rest, divisor), divisor})});
  rest = made.add("Mul", {rest, made.add("Sign", {x})});
  if (node.integer("fmod", 0) == 0) {
    const std::string differs = where("Less", made.add("Mul", {rest, y}), zero);
    rest = made.add("Add", {rest, made.add("Mul", {differs, y})});
  }
  made.set(rest);
}

}  // namespace tputwin::net::onnx_reader

// Functions of one value, softmax, and operators without effect.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bmnet/onnx/reader/addends.h"
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/computed.h"

namespace tputwin::net::onnx_reader {
namespace {

void activation(Node& node, ::bmnet::ActivationMethod method, std::optional<float> argument = {}) {
  TensorOp op = make_op(Op::activation);
  op.mutable_tg_activation_param()->set_activation(method);
  if (argument) op.mutable_tg_activation_param()->add_activation_arg(*argument);
  node.set(node.add(std::move(op), {node.tensor()}, ""), node.dims());
}

void function(Node& node, std::string_view name, std::vector<float> arguments = {}) {
  node.set(unary(node, node.tensor(), name, std::move(arguments)), node.dims());
}

void to_power(Node& node, float scale, float exponent) {
  node.set(power(node, node.tensor(), scale, 0, exponent, ""), node.dims());
}

float bound(const Node& node, size_t input, std::string_view name, float otherwise) {
  if (node.opset < 11) return node.real(name, otherwise);
  if (!node.has(input)) return otherwise;
  const Constant& value = node.weights(input, name);
  node.require(value.size() == 1, name, text(value.dims), "one value");
  return static_cast<float>(value.at(0));
}

void softmax(Node& node, bool log) {
  const Dims& x = node.dims();
  const bool one_axis = node.opset >= 13;
  node.require(!x.empty(), "axes", "0", "at least 1");
  const size_t axis = node.axis(node.integer("axis", one_axis ? -1 : 1), x.size());
  const Dims flat = one_axis ? Dims{run(x, 0, axis), x[axis], run(x, axis + 1, x.size())}
                             : Dims{run(x, 0, axis), run(x, axis, x.size())};
  const bool fits = x.size() <= 4 && (one_axis || axis + 1 == x.size());
  TensorOp op = make_op(Op::softmax);
  op.mutable_tg_softmax_param()->set_axis(fits ? static_cast<int>(axis) : 1);
  if (log) op.mutable_tg_softmax_param()->set_log(true);
  std::string input = fits ? node.tensor() : node.tensor(0, flat);
  std::vector<Blob> weights;
  if (auto sum = addends_of(node, input)) {
    input = sum->x;
    if (sum->weights) {
      *op.mutable_tg_softmax_param()->mutable_addend_shape() =
          make_shape(sum->weights->shape, sizeof(float));
      weights.push_back(std::move(*sum->weights));
    }
    op.add_bottom(input);
    if (!sum->tensor.empty()) op.add_bottom(sum->tensor);
  } else {
    op.add_bottom(input);
  }
  const std::string y = node.add(std::move(op), {}, "", std::move(weights));
  node.set(fits ? y : node.view(y, net_dims(x)), x);
}

}  // namespace

void import_relu(Node& node) { activation(node, ::bmnet::RELU); }
void import_leaky_relu(Node& node) {
  const float slope = node.real("alpha", 0.01f);
  slope == 0 ? activation(node, ::bmnet::RELU) : activation(node, ::bmnet::RELU, slope);
}
void import_sigmoid(Node& node) { activation(node, ::bmnet::SIGMOID); }
void import_tanh(Node& node) { activation(node, ::bmnet::TANH); }
void import_abs(Node& node) { activation(node, ::bmnet::ABS); }
void import_elu(Node& node) { activation(node, ::bmnet::ELU, node.real("alpha", 1)); }
void import_selu(Node& node) {
  function(node, "selu",
           {node.real("alpha", 1.67326319217681884765625f),
            node.real("gamma", 1.05070102214813232421875f)});
}
void import_celu(Node& node) { function(node, "celu", {node.real("alpha", 1)}); }
void import_hard_sigmoid(Node& node) {
  function(node, "hard_sigmoid", {node.real("alpha", 0.2f), node.real("beta", 0.5f)});
}
void import_hard_swish(Node& node) { function(node, "hard_swish"); }
void import_gelu(Node& node) {
  const std::string approximate = node.text("approximate", "none");
  node.require(approximate == "none" || approximate == "tanh", "approximate", approximate,
               "none or tanh");
  function(node, approximate == "tanh" ? "gelu_tanh" : "gelu");
}
void import_mish(Node& node) { function(node, "mish"); }
void import_swish(Node& node) { function(node, "swish", {node.real("alpha", 1)}); }
void import_softplus(Node& node) { function(node, "softplus"); }
void import_softsign(Node& node) { function(node, "softsign"); }
void import_thresholded_relu(Node& node) {
  function(node, "thresholded_relu", {node.real("alpha", 1)});
}
void import_shrink(Node& node) {
  function(node, "shrink", {node.real("lambd", 0.5f), node.real("bias", 0)});
}
void import_exp(Node& node) { function(node, "exp"); }
void import_log(Node& node) { function(node, "log"); }
void import_sqrt(Node& node) { function(node, "sqrt"); }
void import_reciprocal(Node& node) { to_power(node, 1, -1); }
void import_neg(Node& node) { to_power(node, -1, 1); }
void import_erf(Node& node) { function(node, "erf"); }
void import_floor(Node& node) { function(node, "floor"); }
void import_ceil(Node& node) { function(node, "ceil"); }
void import_round(Node& node) { function(node, "round"); }
void import_sign(Node& node) { function(node, "sign"); }
void import_sin(Node& node) { function(node, "sin"); }
void import_cos(Node& node) { function(node, "cos"); }
void import_tan(Node& node) { function(node, "tan"); }
void import_asin(Node& node) { function(node, "asin"); }
void import_acos(Node& node) { function(node, "acos"); }
void import_atan(Node& node) { function(node, "atan"); }
void import_sinh(Node& node) { function(node, "sinh"); }
void import_cosh(Node& node) { function(node, "cosh"); }
void import_asinh(Node& node) { function(node, "asinh"); }
void import_acosh(Node& node) { function(node, "acosh"); }
void import_atanh(Node& node) { function(node, "atanh"); }

void import_clip(Node& node) {
  if (node.opset >= 11 && any_computed(node, {1, 2})) return expand_clip(node);
  constexpr float kLargest = std::numeric_limits<float>::max();
  float least = bound(node, 1, "min", -kLargest), most = bound(node, 2, "max", kLargest);
  // Bounds of integers between a QuantizeLinear and a DequantizeLinear are integers.
  if (const auto& q = node.in(0).quantization) {
    const auto real = [&](float bound) { return (bound - static_cast<float>(q->zero)) * q->scale; };
    if (least != -kLargest) least = real(least);
    if (most != kLargest) most = real(most);
  }
  if (least == 0 && most == kLargest) return activation(node, ::bmnet::RELU);
  TensorOp op = make_op(Op::clip);
  op.mutable_tg_clip_param()->set_min(least);
  op.mutable_tg_clip_param()->set_max(most);
  node.set(node.add(std::move(op), {node.tensor()}, ""), node.dims());
}

void import_softmax(Node& node) { softmax(node, false); }
void import_log_softmax(Node& node) { softmax(node, true); }

void import_identity(Node& node) { node.set(node.in(0)); }

void import_dropout(Node& node) {
  // PyTorch's exporter writes a training mode with the ratio 0, which drops nothing.
  const auto is_zero = [&](size_t input) {
    const Constant* value = node.constant(input);
    return value != nullptr && value->size() == 1 && value->at(0) == 0;
  };
  node.require(!node.has(2) || is_zero(2) || is_zero(1), "training_mode", "true",
               "export the net for inference");
  node.require(!node.wants(1) || !node.in(0).varies, "outputs", "2",
               "the first only, where extents are known at run time");
  const auto count = static_cast<size_t>(elements(node.dims()));
  if (node.wants(1))  // nothing is dropped
    node.set(make_integers(node.dims(), std::vector<int64_t>(count, 1), onnx::TensorProto::BOOL),
             1);
  node.set(node.in(0));
}

namespace {

// Rounds toward zero; beyond the type's range the lowest bits remain, as in ONNX Runtime.
std::string to_integers(Node& node, Expansion& made, int type) {
  const std::string x = made.in(0);
  if (type == onnx::TensorProto::BOOL) return made.function("is_not_zero", x);
  // In int8 a true boolean is 127/128.
  if (node.in(0).kind == ValueKind::boolean) return made.add("Round", {x});
  const bool is_whole = node.in(0).kind != ValueKind::real;
  return made.function("integer", x,
                       {int64_t{bits_of(type)}, is_signed_type(type) ? 1 : 0, is_whole ? 1 : 0});
}

}  // namespace

void import_cast(Node& node) {
  const auto type = static_cast<int>(node.integer("to", 0));
  const Value& x = node.in(0);
  if (x.quantization) return expand_cast_of_quantized(node, type);
  require_cast_type(node, type);
  // Bytes of an input become integers that are computed with (compute_integers()).
  const int own = x.is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
  const bool is_integer = is_integer_type(type);
  if (x.is_bytes && is_integer && type != own) {
    Expansion made(node);
    const std::string integers = made.add("Cast", {made.in(0)}, {{"to", int64_t{own}}});
    return made.set(made.add("Cast", {integers}, {{"to", int64_t{type}}}));
  }
  if (is_integer && !x.is_bytes && (x.positions == 0 || type == onnx::TensorProto::BOOL)) {
    Expansion made(node);
    return made.set(to_integers(node, made, type));
  }
  const bool is_short = type == onnx::TensorProto::INT8 || type == onnx::TensorProto::UINT8;
  if (is_short && !x.is_bytes)
    node.require(x.positions <= (type == onnx::TensorProto::INT8 ? 128 : 256), "to",
                 std::to_string(type), "a type that holds all positions of the axis");
  Value y = x;
  if (!is_integer || x.is_bytes) {
    y.positions = 0;
    y.is_bytes = y.is_signed = false;
  }
  node.set(std::move(y));
}

void import_function(Node& node) {
  std::vector<float> arguments;
  for (const int64_t argument : node.integers("arguments"))
    arguments.push_back(static_cast<float>(argument));
  function(node, node.text("name", ""), std::move(arguments));
}

void expand_cast_like(Node& node) {
  const Constant* like = node.constant(1);
  int type = like != nullptr ? like->type : int{onnx::TensorProto::FLOAT};
  if (like == nullptr) {
    node.require(node.in(1).kind != ValueKind::integer, "target_type", node.proto.input(1),
                 "of floats or booleans; put a Cast in place of the CastLike");
    if (node.in(1).kind == ValueKind::boolean) type = onnx::TensorProto::BOOL;
  }
  Expansion made(node);
  made.set(made.add("Cast", {made.in(0)}, {{"to", int64_t{type}}}));
  made.copy_attribute("saturate");
}

}  // namespace tputwin::net::onnx_reader

// Operators that ONNX Runtime writes into optimized and quantized files, made of those of ONNX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bmnet/onnx/reader/operators/microsoft/microsoft.h"

namespace tputwin::net::onnx_reader {
std::string real_values(Expansion& made, size_t x, size_t scale, size_t zero, int64_t axis) {
  std::vector<std::string> inputs{made.in(x), made.in(scale)};
  if (!made.in(zero).empty()) inputs.push_back(made.in(zero));
  // Opsets before 13 have no axis.
  if (axis == 1) return made.add("DequantizeLinear", inputs);
  return made.add("DequantizeLinear", inputs, {{"axis", axis}});
}

void set_quantized(Expansion& made, const std::string& y, size_t scale, size_t zero) {
  std::vector<std::string> inputs{y, made.in(scale)};
  if (!made.in(zero).empty()) inputs.push_back(made.in(zero));
  made.set(made.add("QuantizeLinear", inputs));
}

namespace {

// An operator of two quantized operands: A, B and C, each with its scale and zero point.
void quantized_binary(Node& node, const char* type) {
  Expansion made(node);
  const std::string a = real_values(made, 0, 1, 2), b = real_values(made, 3, 4, 5);
  set_quantized(made, made.add(type, {a, b}), 6, 7);
}

// An operator of one quantized operand.
void quantized_unary(Node& node, const char* type, std::initializer_list<const char*> attributes) {
  Expansion made(node);
  const std::string y = made.add(type, {real_values(made, 0, 1, 2)});
  for (const char* attribute : attributes) made.copy_attribute(attribute);
  set_quantized(made, y, 3, 4);
}

void quantized_pool(Node& node, const char* type, std::initializer_list<const char*> attributes) {
  Expansion made(node);
  const std::string y =
      with_channels_first(made, node, real_values(made, 0, 1, 2), [&](const std::string& x) {
        const std::string pooled = made.add(type, {x});
        for (const char* attribute : attributes) made.copy_attribute(attribute);
        return pooled;
      });
  set_quantized(made, y, 3, 4);
}

}  // namespace

void expand_qlinear_add(Node& node) { quantized_binary(node, "Add"); }
void expand_qlinear_mul(Node& node) { quantized_binary(node, "Mul"); }
// condition, X and Y with scale and zero point each, then those of Z
void expand_qlinear_where(Node& node) {
  Expansion made(node);
  const std::string x = real_values(made, 1, 2, 3), y = real_values(made, 4, 5, 6);
  set_quantized(made, made.add("Where", {made.in(0), x, y}), 7, 8);
}
void expand_qlinear_leaky_relu(Node& node) { quantized_unary(node, "LeakyRelu", {"alpha"}); }
void expand_qlinear_sigmoid(Node& node) { quantized_unary(node, "Sigmoid", {}); }
// Before opset 13 a Softmax is over all axes from `axis` on.
void expand_qlinear_softmax(Node& node) {
  if (node.integer("opset", 13) < 13) node.expansion_opset = 12;
  quantized_unary(node, "Softmax", {"axis"});
}
void expand_qlinear_global_average_pool(Node& node) {
  quantized_pool(node, "GlobalAveragePool", {});
}
void expand_qlinear_average_pool(Node& node) {
  quantized_pool(node, "AveragePool",
                 {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
}

// Y_scale, Y_zero_point, then X, scale and zero point of each part.
void expand_qlinear_concat(Node& node) {
  Expansion made(node);
  std::vector<std::string> parts;
  for (size_t i = 2; i + 2 < node.inputs() + 1; i += 3)
    parts.push_back(real_values(made, i, i + 1, i + 2));
  node.require(!parts.empty(), "inputs", std::to_string(node.inputs()), "at least one part");
  const std::string y = made.add("Concat", parts);
  made.copy_attribute("axis");
  set_quantized(made, y, 0, 1);
}

// A, B and C with scales and zero points; C has the scale a_scale * b_scale * alpha. Floats result
// where there is no scale of Y.
void expand_qgemm(Node& node) {
  Expansion made(node);
  const int64_t columns_of_b = node.integer("transB", 0) != 0 ? 0 : 1;
  const std::string a = real_values(made, 0, 1, 2), b = real_values(made, 3, 4, 5, columns_of_b);
  std::vector<std::string> operands{a, b};
  if (node.has(6)) {
    const float alpha = node.real("alpha", 1);
    const std::string scale =
        made.add("Mul", {made.add("Mul", {made.in(1), made.in(4)}), made.real(alpha)});
    const std::string c =
        made.add("Cast", {made.in(6)}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
    operands.push_back(made.add("Mul", {c, scale}));
  }
  const std::string y = made.add("Gemm", operands);
  for (const char* attribute : {"alpha", "transA", "transB"}) made.copy_attribute(attribute);
  if (!node.has(7)) return made.set(y);
  set_quantized(made, y, 7, 8);
}

// ---- Fused layers ----

namespace {

std::string activated(Node& node, Expansion& made, const std::string& x) {
  const std::string type = node.text("activation", "");
  if (type.empty()) return x;
  const std::vector<float> given = node.reals("activation_params");
  const auto parameter = [&](size_t i, const char* own, float otherwise) {
    return i < given.size() ? given[i] : node.real(own, otherwise);
  };
  if (type == "Relu" || type == "Tanh" || type == "Sigmoid") return made.add(type.c_str(), {x});
  if (type == "LeakyRelu")
    return made.add("LeakyRelu", {x}, {{"alpha", parameter(0, "activation_alpha", 0.01f)}});
  if (type == "Clip")
    return made.add("Clip", {x, made.real(parameter(0, "activation_min", -3.4e38f)),
                             made.real(parameter(1, "activation_max", 3.4e38f))});
  if (type == "Softplus" || type == "Softsign") return made.add(type.c_str(), {x});
  if (type == "Elu" || type == "ThresholdedRelu")
    return made.add(type.c_str(), {x}, {{"alpha", parameter(0, "activation_alpha", 1)}});
  node.require(type == "HardSigmoid", "activation", type,
               "Relu, LeakyRelu, Elu, Tanh, Sigmoid, Softplus, Softsign, ThresholdedRelu, Clip or "
               "HardSigmoid");
  return made.add("HardSigmoid", {x},
                  {{"alpha", parameter(0, "activation_alpha", 0.2f)},
                   {"beta", parameter(1, "activation_beta", 0.5f)}});
}

}  // namespace

// activation(Conv(X, W, B) + Z)
void expand_fused_conv(Node& node) {
  Expansion made(node);
  std::vector<std::string> operands{made.in(0), made.in(1)};
  if (node.has(2)) operands.push_back(made.in(2));
  std::string y = made.add("Conv", operands);
  for (const char* attribute :
       {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"})
    made.copy_attribute(attribute);
  if (node.has(3)) y = made.add("Add", {y, made.in(3)});
  made.set(activated(node, made, y));
}

void expand_fused_gemm(Node& node) {
  Expansion made(node);
  std::vector<std::string> operands{made.in(0), made.in(1)};
  if (node.has(2)) operands.push_back(made.in(2));
  const std::string y = made.add("Gemm", operands);
  for (const char* attribute : {"alpha", "beta", "transA", "transB"})
    made.copy_attribute(attribute);
  made.set(activated(node, made, y));
}

namespace {

// An operand of a FusedMatMul: `batch` moves the first axis before the last one, then `turns` swaps
// the last two.
std::string fused_operand(Expansion& made, const Node& node, size_t input, const char* turns,
                          const char* batch) {
  const bool moves = node.integer(batch, 0) != 0, swaps = node.integer(turns, 0) != 0;
  if (!moves && !swaps) return made.in(input);
  Dims order;
  const size_t axes = node.dims(input).size();
  node.require(axes >= 2, "shape", text(node.dims(input)), "matrices");
  for (size_t axis = 0; axis < axes; ++axis) order.push_back(static_cast<int64_t>(axis));
  if (moves) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swaps) std::swap(order[axes - 1], order[axes - 2]);
  return made.add("Transpose", {made.in(input)}, {{"perm", order}});
}

}  // namespace

// alpha * A' B'
void expand_fused_mat_mul(Node& node) {
  Expansion made(node);
  const std::string y = made.add("MatMul", {fused_operand(made, node, 0, "transA", "transBatchA"),
                                            fused_operand(made, node, 1, "transB", "transBatchB")});
  const float alpha = node.real("alpha", 1);
  made.set(alpha == 1 ? y : made.add("Mul", {y, made.real(alpha)}));
}

// ---- Functions of transformers ----

namespace {

std::string gelu(Expansion& made, const std::string& x, const char* approximate) {
  return made.add("Gelu", {x}, {{"approximate", approximate}});
}

}  // namespace

void expand_gelu(Node& node) {
  Expansion made(node);
  made.set(gelu(made, made.in(0), "none"));
}

void expand_bias_gelu(Node& node) {
  Expansion made(node);
  made.set(gelu(made, made.add("Add", {made.in(0), made.in(1)}), "none"));
}

void expand_fast_gelu(Node& node) {
  Expansion made(node);
  const std::string x = node.has(1) ? made.add("Add", {made.in(0), made.in(1)}) : made.in(0);
  made.set(gelu(made, x, "tanh"));
}

// x * sigmoid(alpha * x)
void expand_quick_gelu(Node& node) {
  Expansion made(node);
  const std::string scaled = made.add("Mul", {made.in(0), made.real(node.real("alpha", 1.702f))});
  made.set(made.add("Mul", {made.in(0), made.add("Sigmoid", {scaled})}));
}

namespace {

// The sum of input, skip and bias; it is an output as well (number 3).
std::string skipped(Node& node, Expansion& made, size_t bias) {
  std::string x = made.add("Add", {made.in(0), made.in(1)});
  if (node.has(bias)) x = made.add("Add", {x, made.in(bias)});
  for (const size_t output : {size_t{1}, size_t{2}})
    node.require(!node.wants(output), "outputs", "mean", "the first and the sum");
  if (node.wants(3)) made.set(made.add("Identity", {x}), 3);
  return x;
}

}  // namespace

// LayerNormalization(input + skip + bias)
void expand_skip_layer_normalization(Node& node) {
  Expansion made(node);
  std::vector<std::string> operands{skipped(node, made, 4), made.in(2)};
  if (node.has(3)) operands.push_back(made.in(3));
  made.set(made.add("LayerNormalization", operands,
                    {{"axis", int64_t{-1}}, {"epsilon", node.real("epsilon", 1e-12f)}}));
}

namespace {

// x / sqrt(mean(x^2) + epsilon) * scale over the axes from `axis` on
std::string rms_normalized(Expansion& made, const std::string& x, const std::string& scale,
                           int64_t axis, float epsilon) {
  return made.add("RMSNormalization", {x, scale}, {{"axis", axis}, {"epsilon", epsilon}});
}

}  // namespace

void expand_simplified_layer_normalization(Node& node) {
  node.expansion_opset = 23;
  Expansion made(node);
  made.set(rms_normalized(made, made.in(0), made.in(1), node.integer("axis", -1),
                          node.real("epsilon", 1e-5f)));
}

void expand_skip_simplified_layer_normalization(Node& node) {
  node.expansion_opset = 23;
  Expansion made(node);
  const std::string x = skipped(node, made, 3);
  made.set(rms_normalized(made, x, made.in(2), -1, node.real("epsilon", 1e-12f)));
}

// Adds ONNX's operator, also for types that the model's opset does not have.
void expand_quantize_linear(Node& node) {
  Expansion made(node);
  set_quantized(made, made.in(0), 1, 2);
}

void expand_dequantize_linear(Node& node) {
  Expansion made(node);
  made.set(real_values(made, 0, 1, 2));
  made.copy_attribute("axis");
}

}  // namespace tputwin::net::onnx_reader

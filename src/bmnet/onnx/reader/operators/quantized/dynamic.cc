// Operators of nets that are quantized while they run, with scales of each input. Where no reader
// needs the integers, values stay floats: x becomes (x, scale 1, zero point 0).
#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

bool is_zero(const Constant& constant) {
  for (size_t i = 0; i < constant.size(); ++i)
    if (constant.at(i) != 0) return false;
  return true;
}

// Returns the zero point's shape for operands: one value, or one for each index of `axis`.
Dims shape_of_zeros(const Node& node, const Dims& zeros, size_t input, size_t axis) {
  const Dims& dims = node.dims(input);
  const int64_t count = elements(zeros);
  if (count == 1 || axis >= dims.size()) return Dims(count == 1 ? 0 : 1, 1);
  if (zeros.size() == dims.size()) return zeros;
  node.require(count == dims[axis], "zero point", text(zeros),
               "one value, or one for each index of the axis");
  Dims shape(dims.size(), 1);
  shape[axis] = count;
  return shape;
}

std::string as_float(Expansion& made, const std::string& x) {
  return made.add("Cast", {x}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
}

// Returns operand `x` less its zero point, in floats.
std::string difference(Expansion& made, const Node& node, size_t x, size_t zero, size_t axis) {
  const std::string real = as_float(made, made.in(x));
  if (!node.has(zero)) return real;
  const Dims shape = shape_of_zeros(node, node.dims(zero), x, axis);
  const Constant* zeros = node.constant(zero);
  if (zeros == nullptr)
    return made.add(
        "Sub", {real, made.add("Reshape", {as_float(made, made.in(zero)), made.integers(shape)})});
  if (is_zero(*zeros)) return real;
  std::vector<float> values;
  for (size_t i = 0; i < zeros->size(); ++i) values.push_back(static_cast<float>(zeros->at(i)));
  return made.add("Sub", {real, made.reals(shape, values)});
}

// Returns the last axis of an operand.
size_t last_axis(const Node& node, size_t input) {
  return node.dims(input).empty() ? 0 : node.dims(input).size() - 1;
}

// Returns a product of matrices less their zero points; `zeros` are the inputs of both.
std::string product(Expansion& made, const Node& node, size_t zero_a, size_t zero_b) {
  const size_t rows = node.dims(0).size() < 2 ? 0 : node.dims(0).size() - 2;
  const std::string a = difference(made, node, 0, zero_a, rows);
  return made.add("MatMul", {a, difference(made, node, 1, zero_b, last_axis(node, 1))});
}

void add_bias_of_input(Expansion& made, const Node& node, std::string y, size_t bias) {
  made.set(node.has(bias) ? made.add("Add", {y, made.in(bias)}) : y);
}

}  // namespace

namespace {

// Returns the least or the greatest number of the first input, or 0 beyond it.
std::string extreme(Expansion& made, const char* reduction, const char* bound) {
  const std::string own = made.add(reduction, {made.in(0)}, {{"keepdims", int64_t{0}}});
  return made.add(bound, {own, made.real(0)});
}

// Computes the integers as ONNX defines them: 255 steps from the least to the greatest number, of
// which 0 is one. Numbers that are all 0 have the scale 1.
void quantize_by_range(Node& node) {
  Expansion made(node);
  constexpr int kType = onnx::TensorProto::UINT8;
  const auto in_range = [&](const std::string& x) {
    return made.as_integers(
        made.span(made.add("Clip", {x, made.real(0), made.real(255)}), kType, 0), kType);
  };
  const std::string least = extreme(made, "ReduceMin", "Min");
  const std::string range = made.add("Sub", {extreme(made, "ReduceMax", "Max"), least});
  const std::string scale =
      made.add("Add", {made.add("Div", {range, made.real(255)}), made.function("is_zero", range)});
  const std::string zero = made.add("Round", {made.add("Div", {made.add("Neg", {least}), scale})});
  const std::string steps = made.add("Round", {made.add("Div", {made.in(0), scale})});
  const std::string integers = in_range(made.add("Add", {steps, zero}));
  made.set(in_range(zero), 2);
  made.set(integers, 0);
  made.set(scale, 1);
}

}  // namespace

void expand_dynamic_quantize_linear(Node& node) {
  if (!node.graph.dynamic_floats.contains(node.proto.output(0))) return quantize_by_range(node);
  Expansion made(node);
  const std::string real = made.in(0);
  made.set(made.add("Identity", {real}), 0);
  made.set(made.add("Identity", {made.real(1)}), 1);
  made.set(made.add("Cast", {made.real(0)}, {{"to", int64_t{onnx::TensorProto::UINT8}}}), 2);
}

void expand_conv_integer(Node& node) {
  Expansion made(node);
  const std::string x = difference(made, node, 0, 2, node.dims(0).size());
  made.set(made.add("Conv", {x, difference(made, node, 1, 3, 0)}));
  for (const char* name : {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"})
    made.copy_attribute(name);
}

void expand_mat_mul_integer(Node& node) {
  Expansion made(node);
  made.set(product(made, node, 2, 3));
}

void expand_mat_mul_integer_to_float(Node& node) {
  Expansion made(node);
  const std::string sums = product(made, node, 4, 5);
  const std::string scale = made.add("Mul", {made.in(2), made.in(3)});
  add_bias_of_input(made, node, made.add("Mul", {sums, scale}), 6);
}

void expand_dynamic_quantize_mat_mul(Node& node) {
  Expansion made(node);
  const std::string b = difference(made, node, 1, 3, last_axis(node, 1));
  const std::string sums = made.add("MatMul", {made.in(0), b});
  add_bias_of_input(made, node, made.add("Mul", {sums, made.in(2)}), 4);
}

}  // namespace tputwin::net::onnx_reader

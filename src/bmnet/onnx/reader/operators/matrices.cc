// Matrix products and PRelu.
#include <fmt/format.h>

#include <cfloat>
#include <cmath>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// Adds y = x * matrix + bias for x (rows, K) and a matrix (outputs, K).
std::string inner_product(Node& node, const std::string& x, int64_t outputs, int64_t length,
                          std::vector<float> matrix, std::vector<float> bias,
                          std::string_view what = "") {
  TensorOp op = make_op(Op::inner_product);
  auto& p = *op.mutable_tg_inner_product_param();
  p.set_num_output(static_cast<uint32_t>(outputs));
  p.set_weight_transpose(true);
  p.set_bias_term(!bias.empty());
  std::vector<Blob> blobs{{{outputs, length}, std::move(matrix)}};
  if (!bias.empty()) blobs.push_back({{outputs}, std::move(bias)});
  return node.add(std::move(op), {x}, what, std::move(blobs));
}

// Adds a constant or a tensor to y, repeated to the rows of y.
std::string added(Node& node, const std::string& y, size_t input, float factor) {
  TensorOp op = make_op(Op::arithmetic);
  auto& p = *op.mutable_tg_arithmetic_param();
  p.set_operation(::bmnet::TGArithmeticParameter::ADD);
  Dims extents = node.dims(input);
  while (extents.size() < 2) extents.insert(extents.begin(), 1);
  const Constant* constant = node.constant(input);
  if (constant == nullptr) {
    node.require(factor == 1, "beta", std::to_string(factor), "1 where C is no constant");
    return node.add(std::move(op), {y, node.tensor(input, extents)}, "");
  }
  p.set_is_b_const(true);
  *p.mutable_b_shape() = make_shape(extents, 4);
  std::vector<float> values = constant->real();
  for (float& v : values) v *= factor;
  return node.add(std::move(op), {y}, "", {{extents, std::move(values)}});
}

std::vector<float> turned(const std::vector<float>& values, int64_t rows, int64_t columns) {
  std::vector<float> result(values.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  return result;
}

// Returns true if C of a Gemm is a constant with one value, or one per column.
bool is_bias(const Node& node, int64_t outputs) {
  const Constant* c = node.constant(2);
  if (c == nullptr) return false;
  const bool per_column = !c->dims.empty() && c->dims.back() == outputs;
  return c->size() == 1 || (per_column && static_cast<int64_t>(c->size()) == outputs);
}

std::vector<float> gemm_bias(const Node& node, int64_t outputs) {
  std::vector<float> bias = node.constant(2)->real();
  if (bias.size() == 1) bias.assign(static_cast<size_t>(outputs), bias[0]);
  for (float& v : bias) v *= node.real("beta", 1);
  return bias;
}

// Merges the axes before the matrices, in both operands, to at most two.
void join_front(const Node& node, Dims& a, Dims& b) {
  const size_t axes = std::max(a.size(), b.size());
  for (Dims* dims : {&a, &b}) dims->insert(dims->begin(), axes - dims->size(), 1);
  if (axes <= 4) return;
  const bool same = std::equal(a.begin(), a.end() - 2, b.begin());
  node.require(same, "shapes", text(a) + " and " + text(b),
               "with more than four axes those in front are the same");
  for (Dims* dims : {&a, &b})
    *dims = {run(*dims, 0, axes - 2), (*dims)[axes - 2], (*dims)[axes - 1]};
}

// Multiplies two tensors, on the host.
void product_of_tensors(Node& node) {
  Dims a = node.dims(0), b = node.dims(1);
  node.require(!a.empty() && !b.empty(), "shapes", text(a) + " and " + text(b), "no scalars");
  const bool one_row = a.size() == 1, one_column = b.size() == 1;
  if (one_row) a.insert(a.begin(), 1);
  if (one_column) b.push_back(1);
  node.require(a.back() == b[b.size() - 2], "shapes", text(a) + " and " + text(b),
               "as many columns as the other has rows");
  Dims result = broadcast(node, {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!one_row) result.push_back(a[a.size() - 2]);
  if (!one_column) result.push_back(b.back());
  join_front(node, a, b);
  const std::string y = node.add(make_op(Op::matmul), {node.tensor(0, a), node.tensor(1, b)}, "");
  node.set(node.graph.dims(y) == net_dims(result) ? y : node.view(y, net_dims(result)), result);
}

}  // namespace

namespace {

// alpha * A' B' + beta * C for a tensor B.
void expand_gemm(Node& node) {
  Expansion made(node);
  const auto operand = [&](size_t input, const char* turns) {
    if (node.integer(turns, 0) == 0) return made.in(input);
    return made.add("Transpose", {made.in(input)}, {{"perm", Dims{1, 0}}});
  };
  const auto times = [&](const std::string& x, float factor) {
    return factor == 1 ? x : made.add("Mul", {x, made.real(factor)});
  };
  const std::string product = made.add("MatMul", {operand(0, "transA"), operand(1, "transB")});
  const std::string y = times(product, node.real("alpha", 1));
  if (!node.has(2)) return made.set(y);
  made.set(made.add("Add", {y, times(made.in(2), node.real("beta", 1))}));
}

}  // namespace

void import_gemm(Node& node) {
  if (node.constant(1) == nullptr) return expand_gemm(node);
  const Constant& b = node.weights(1, "B");
  node.require(node.dims().size() == 2 && b.dims.size() == 2, "axes", text(node.dims()), "two");
  const bool turn_b = node.integer("transB", 0) == 0;
  const int64_t length = b.dims[turn_b ? 0 : 1], outputs = b.dims[turn_b ? 1 : 0];
  Dims a = node.dims();
  std::string x = node.tensor(0, a);
  if (node.integer("transA", 0) != 0) {
    x = transposed(node, x, a, {1, 0}, "transposed");
    std::swap(a[0], a[1]);
    x = node.view(x, a);
  }
  node.require(a[1] == length, "B", text(b.dims), "as long as the rows of A " + text(a));
  std::vector<float> matrix = b.real();
  if (turn_b) matrix = turned(matrix, length, outputs);
  const float alpha = node.real("alpha", 1);
  for (float& v : matrix) v *= alpha;
  const bool adds = node.has(2) && !is_bias(node, outputs);
  std::vector<float> bias;
  if (node.has(2) && !adds) bias = gemm_bias(node, outputs);
  std::string y = inner_product(node, x, outputs, length, std::move(matrix), std::move(bias),
                                adds ? "product" : "");
  if (adds) {
    node.require(broadcast(node, {a[0], outputs}, node.dims(2)) == Dims{a[0], outputs}, "C",
                 text(node.dims(2)), "repeated to the result");
    y = added(node, y, 2, node.real("beta", 1));
  }
  node.set(y, {a[0], outputs});
}

namespace {

bool is_matrix(const Constant* constant) {
  return constant != nullptr && (constant->dims.size() == 1 || constant->dims.size() == 2);
}

// Returns A with its last two axes exchanged.
std::string last_exchanged(Expansion& made, const std::string& x, size_t axes) {
  Dims order;
  for (size_t axis = 0; axis < axes; ++axis) order.push_back(static_cast<int64_t>(axis));
  std::swap(order[axes - 1], order[axes - 2]);
  return made.add("Transpose", {x}, {{"perm", order}});
}

// A B for a constant matrix A: (B^T A^T)^T.
void product_of_constant(Node& node) {
  Expansion made(node);
  const size_t axes = node.dims(1).size();
  const Constant& a = *node.constant(0);
  const std::string x = last_exchanged(made, made.in(1), axes);
  if (a.dims.size() == 1) return made.set(made.add("MatMul", {x, made.in(0)}));
  const std::string turned_a =
      made.reals({a.dims[1], a.dims[0]}, turned(a.real(), a.dims[0], a.dims[1]));
  made.set(last_exchanged(made, made.add("MatMul", {x, turned_a}), axes));
}

}  // namespace

void import_matmul(Node& node) {
  if (is_matrix(node.constant(0)) && node.dims(1).size() >= 2) return product_of_constant(node);
  if (!is_matrix(node.constant(1))) return product_of_tensors(node);
  const Constant& b = *node.constant(1);
  const Dims& a = node.dims();
  const int64_t length = b.dims[0], outputs = b.dims.size() == 2 ? b.dims[1] : 1;
  node.require(!a.empty() && a.back() == length, "B", text(b.dims),
               "as long as the last axis of A " + text(a));
  const int64_t rows = run(a, 0, a.size() - 1);
  const std::string y = inner_product(node, node.tensor(0, {rows, length}), outputs, length,
                                      turned(b.real(), length, outputs), {});
  Dims result(a.begin(), a.end() - 1);
  if (b.dims.size() == 2) result.push_back(outputs);
  node.set(net_dims(result) == Dims{rows, outputs} ? y : node.view(y, net_dims(result)), result);
}

namespace {

// max(x, 0) - slope * max(-x, 0), for slopes that are repeated along any axes.
void prelu_of_elements(Node& node, const Constant& slope, const Dims& wanted) {
  const Dims& x = node.dims();
  node.require(x.size() <= 4 && broadcast(node, x, slope.dims) == x, "slope", text(slope.dims),
               "one value, one per channel, or extents of X or 1 of at most four axes");
  const auto above_zero = [&](const std::string& of, std::string_view what) {
    TensorOp relu = make_op(Op::activation);
    relu.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
    return node.add(std::move(relu), {of}, what);
  };
  const std::string turned = power(node, node.tensor(), -1, 0, 1, "turned");
  const std::string above = above_zero(node.tensor(), "above"), below = above_zero(turned, "below");
  TensorOp times = make_op(Op::arithmetic);
  auto& p = *times.mutable_tg_arithmetic_param();
  p.set_operation(::bmnet::TGArithmeticParameter::MUL);
  p.set_is_b_const(true);
  *p.mutable_b_shape() = make_shape(wanted, 4);
  const std::string sloped =
      node.add(std::move(times), {below}, "sloped", {{wanted, slope.real()}});
  TensorOp both = make_op(Op::eltwise);
  both.mutable_tg_eltwise_param()->set_operation(::bmnet::TGEltwiseParameter::SUM);
  for (const float c : {1.0f, -1.0f}) both.mutable_tg_eltwise_param()->add_coeff(c);
  node.set(node.add(std::move(both), {above, sloped}, ""), x);
}

}  // namespace

// max(x, 0) + slope * min(x, 0), for slopes that are a tensor and for any axes.
static void prelu_of_tensors(Node& node) {
  node.require(broadcast(node, node.dims(0), node.dims(1)) == node.dims(0), "slope",
               text(node.dims(1)), "extents of 1 or those of X, from the last axis on");
  Expansion made(node);
  const std::string above = made.add("Relu", {made.in(0)});
  const std::string below = made.add("Min", {made.in(0), made.real(0)});
  made.set(made.add("Add", {above, made.add("Mul", {below, made.in(1)})}));
}

void import_prelu(Node& node) {
  const Dims& x = node.dims();
  if (node.constant(1) == nullptr || x.size() < 2 || x.size() > 4) return prelu_of_tensors(node);
  const Constant& slope = node.weights(1, "slope");
  if (slope.size() != 1 && slope.dims.size() > x.size()) return prelu_of_tensors(node);
  const int64_t channels = channels_of(node);
  // The slope's axes are the last axes of x.
  Dims wanted = slope.dims;
  while (wanted.size() < x.size()) wanted.insert(wanted.begin(), 1);
  const bool is_one = slope.size() == 1;
  const bool per_channel = wanted.size() == x.size() && wanted[1] == channels &&
                           static_cast<int64_t>(slope.size()) == channels;
  if (!is_one && !per_channel) return prelu_of_elements(node, slope, wanted);
  TensorOp op = make_op(Op::prelu);
  op.mutable_tg_prelu_param()->set_channel_shared(is_one);
  const auto values = static_cast<int64_t>(slope.size());
  node.set(node.add(std::move(op), {node.tensor()}, "", {{{values}, slope.real()}}), x);
}

}  // namespace tputwin::net::onnx_reader

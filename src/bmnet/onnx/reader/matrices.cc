// Matrix products and normalization.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/node.h"

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

std::vector<float> vector_of(const Node& node, size_t input, std::string_view name,
                             int64_t channels) {
  const Constant& values = node.weights(input, name);
  node.require(static_cast<int64_t>(values.size()) == channels, name, text(values.dims),
               fmt::format("one value for each of {} channels", channels));
  return values.real();
}

int64_t channels_of(const Node& node) {
  node.require(node.dims().size() >= 2 && node.dims().size() <= 5, "axes",
               std::to_string(node.dims().size()), "samples, channels, and at most three more");
  return node.dims()[1];
}

}  // namespace

void import_gemm(Node& node) {
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

void import_matmul(Node& node) {
  if (node.constant(0) == nullptr && node.constant(1) == nullptr) return product_of_tensors(node);
  const Constant& b = node.weights(1, "B");
  node.require(b.dims.size() == 2 || b.dims.size() == 1, "B", text(b.dims), "a matrix");
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

void import_batch_normalization(Node& node) {
  node.require(node.integer("training_mode", 0) == 0, "training_mode", "1",
               "export the net for inference");
  for (size_t output = 1; output < node.outputs().size(); ++output)
    node.require(!node.wants(output), "outputs", std::to_string(node.outputs().size()), "one");
  node.require(node.integer("spatial", 1) == 1, "spatial", "0", "1");
  const int64_t channels = channels_of(node);
  std::vector<float> factor = vector_of(node, 1, "scale", channels);
  std::vector<float> offset = vector_of(node, 2, "B", channels);
  const std::vector<float> mean = vector_of(node, 3, "mean", channels);
  const std::vector<float> variance = vector_of(node, 4, "var", channels);
  const double epsilon = node.real("epsilon", 1e-5f);
  for (size_t c = 0; c < factor.size(); ++c) {
    const double a = factor[c] / std::sqrt(variance[c] + epsilon);
    offset[c] = static_cast<float>(offset[c] - mean[c] * a);
    factor[c] = static_cast<float>(a);
  }
  node.set(scaled(node, node.tensor(), std::move(factor), std::move(offset), ""), node.dims());
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

void import_prelu(Node& node) {
  const Constant& slope = node.weights(1, "slope");
  const Dims& x = node.dims();
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

// ---- Normalization ----

namespace {

std::string standardize(Node& node, const std::string& x, int axis, float epsilon,
                        std::vector<Blob> blobs, bool centered = true, std::string_view what = "") {
  TensorOp op = make_op(Op::standardize);
  if (!centered) op.mutable_tg_standardize_param()->set_centered(false);
  op.mutable_tg_standardize_param()->set_axis(axis);
  op.mutable_tg_standardize_param()->set_eps(epsilon);
  return node.add(std::move(op), {x}, what, std::move(blobs));
}

}  // namespace

void import_instance_normalization(Node& node) {
  const int64_t channels = channels_of(node);
  node.require(node.dims().size() >= 3, "axes", std::to_string(node.dims().size()), "at least 3");
  node.set(standardize(node, node.tensor(), 2, node.real("epsilon", 1e-5f),
                       {{{channels}, vector_of(node, 1, "scale", channels)},
                        {{channels}, vector_of(node, 2, "B", channels)}}),
           node.dims());
}

void import_layer_normalization(Node& node) {
  for (size_t output = 1; output < node.outputs().size(); ++output)
    node.require(!node.wants(output), "outputs", std::to_string(node.outputs().size()), "one");
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", -1), x.size());
  const int64_t rows = run(x, 0, axis), length = run(x, axis, x.size());
  std::vector<float> offset(static_cast<size_t>(length));
  if (node.has(2)) offset = vector_of(node, 2, "B", length);
  const std::string y =
      standardize(node, node.tensor(0, {rows, length}), 1, node.real("epsilon", 1e-5f),
                  {{{length}, vector_of(node, 1, "Scale", length)}, {{length}, std::move(offset)}});
  const Dims result = net_dims(x);
  node.set(result == Dims{rows, length} ? y : node.view(y, result), x);
}

// Each group of channels by its own mean and variance. Scale and B have a value for each channel,
// before opset 21 for each group.
void import_group_normalization(Node& node) {
  const Dims& x = node.dims();
  const int64_t channels = channels_of(node), groups = node.integer("num_groups", 0);
  node.require(groups >= 1 && channels % groups == 0, "num_groups", std::to_string(groups),
               fmt::format("it divides the {} channels", channels));
  const int64_t given = node.opset >= 21 ? channels : groups;
  std::vector<float> scale = vector_of(node, 1, "scale", given),
                     offset = vector_of(node, 2, "bias", given);
  if (given == groups) {
    const auto of_channels = [&](const std::vector<float>& values) {
      std::vector<float> all;
      for (int64_t c = 0; c < channels; ++c)
        all.push_back(values[static_cast<size_t>(c / (channels / groups))]);
      return all;
    };
    scale = of_channels(scale);
    offset = of_channels(offset);
  }
  const int64_t rows = x[0] * groups, length = elements(x) / rows;
  const std::string flat =
      standardize(node, node.tensor(0, {rows, length}), 1, node.real("epsilon", 1e-5f), {},
                  /*centered=*/true, "normal");
  const std::string y = node.view(flat, net_dims(x));
  node.set(scaled(node, y, std::move(scale), std::move(offset), ""), x);
}

// x / sqrt(mean(x^2) + epsilon) * scale, over the axes from `axis` on.
void import_rms_normalization(Node& node) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", -1), x.size());
  const int64_t rows = run(x, 0, axis), length = run(x, axis, x.size());
  const std::vector<float> zeros(static_cast<size_t>(length));
  const std::string y =
      standardize(node, node.tensor(0, {rows, length}), 1, node.real("epsilon", 1e-5f),
                  {{{length}, vector_of(node, 1, "scale", length)}, {{length}, zeros}},
                  /*centered=*/false);
  const Dims result = net_dims(x);
  node.set(result == Dims{rows, length} ? y : node.view(y, result), x);
}

void import_mean_variance_normalization(Node& node) {
  const Dims& x = node.dims();
  Dims axes = node.integers("axes");
  if (!node.has("axes")) axes = {0, 2, 3};
  std::vector<bool> reduced(x.size());
  for (int64_t axis : axes) reduced[node.axis(axis, x.size())] = true;
  std::vector<size_t> order, back(x.size());
  for (bool last : {false, true})
    for (size_t i = 0; i < x.size(); ++i)
      if (reduced[i] == last) order.push_back(i);
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  int64_t rows = 1;
  for (size_t i = 0; i < x.size(); ++i) rows *= reduced[i] ? 1 : x[i];
  const std::string turned_x = transposed(node, node.tensor(), x, order, "turned");
  std::string y = standardize(node, node.view(turned_x, {rows, elements(x) / rows}), 1, 1e-9f, {});
  y = transposed(node, y, permuted(x, order), back, "back");
  node.set(node.view(y, net_dims(x)), x);
}

void import_lp_normalization(Node& node) {
  const Dims& x = node.dims();
  const size_t axis = node.axis(node.integer("axis", -1), x.size());
  node.require(node.integer("p", 2) == 2 && axis == 1, "axis, p",
               fmt::format("{}, {}", axis, node.integer("p", 2)), "1, 2: the channels' length");
  TensorOp op = make_op(Op::norm);
  auto& p = *op.mutable_tg_norm_param();
  p.set_across_spatial(false);
  p.set_channel_shared(true);
  p.set_eps(0);
  const Dims map{x[0], x[1], run(x, 2, x.size()), 1};
  const std::string y = node.add(std::move(op), {node.tensor(0, map)}, "", {{{1}, {1.0f}}});
  node.set(net_dims(x) == map ? y : node.view(y, net_dims(x)), x);
}

void import_lrn(Node& node) {
  node.require(node.dims().size() == 4, "axes", std::to_string(node.dims().size()), "4");
  TensorOp op = make_op(Op::lrn);
  auto& p = *op.mutable_tg_lrn_param();
  const int64_t size = node.integer("size", 0);
  node.require(size >= 1 && size <= 31 && size % 2 == 1, "size", std::to_string(size),
               "odd, in [1, 31]");
  p.set_local_size(static_cast<uint32_t>(size));
  p.set_alpha(node.real("alpha", 1e-4f));
  p.set_beta(node.real("beta", 0.75f));
  p.set_k(node.real("bias", 1));
  node.set(node.add(std::move(op), {node.tensor()}, ""), node.dims());
}

}  // namespace tputwin::net::onnx_reader

// Normalization: by constants, by the mean and variance of the values, and by their norm.
#include <fmt/format.h>

#include <cfloat>
#include <cmath>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/computed.h"

namespace tputwin::net::onnx_reader {
namespace {

std::vector<float> vector_of(const Node& node, size_t input, std::string_view name,
                             int64_t channels) {
  const Constant& values = node.weights(input, name);
  node.require(static_cast<int64_t>(values.size()) == channels, name, text(values.dims),
               fmt::format("one value for each of {} channels", channels));
  return values.real();
}

}  // namespace

void import_batch_normalization(Node& node) {
  node.require(node.integer("training_mode", 0) == 0, "training_mode", "1",
               "export the net for inference");
  for (size_t output = 1; output < node.outputs().size(); ++output)
    node.require(!node.wants(output), "outputs", std::to_string(node.outputs().size()), "one");
  node.require(node.integer("spatial", 1) == 1, "spatial", "0", "1");
  if (any_computed(node, {1, 2, 3, 4})) return expand_batch_normalization(node);
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
  if (any_computed(node, {1, 2})) return expand_instance_normalization(node);
  node.set(standardize(node, node.tensor(), 2, node.real("epsilon", 1e-5f),
                       {{{channels}, vector_of(node, 1, "scale", channels)},
                        {{channels}, vector_of(node, 2, "B", channels)}}),
           node.dims());
}

void import_layer_normalization(Node& node) {
  for (size_t output = 1; output < node.outputs().size(); ++output)
    node.require(!node.wants(output), "outputs", std::to_string(node.outputs().size()), "one");
  if (any_computed(node, {1, 2}) || any_broadcast(node, {1, 2}))
    return expand_layer_normalization(node);
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
  if (any_computed(node, {1, 2})) return expand_group_normalization(node);
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
  if (is_computed(node, 1) || any_broadcast(node, {1})) return expand_layer_normalization(node);
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
  const int64_t power = node.integer("p", 2);
  node.require(power == 1 || power == 2, "p", std::to_string(power), "1 or 2");
  // The chips normalize channels of one position together in local memory.
  constexpr int64_t kMostChannels = 4096;
  if (power == 1 || axis != 1 || x[1] > kMostChannels) {
    // A length of 0 becomes 1, which keeps 0 / 0 from being NaN in fp16, too.
    Expansion made(node);
    const std::string length = made.add(power == 1 ? "ReduceL1" : "ReduceL2",
                                        {made.in(0), made.integers({static_cast<int64_t>(axis)})},
                                        {{"keepdims", int64_t{1}}});
    const std::string above = made.add("Add", {length, made.function("is_zero", length)});
    return made.set(made.add("Div", {made.in(0), above}));
  }
  TensorOp op = make_op(Op::norm);
  auto& p = *op.mutable_tg_norm_param();
  p.set_across_spatial(false);
  p.set_channel_shared(true);
  // The smallest normal float keeps 0 / 0 from being NaN.
  p.set_eps(FLT_MIN);
  const Dims map{x[0], x[1], run(x, 2, x.size()), 1};
  const std::string y = node.add(std::move(op), {node.tensor(0, map)}, "", {{{1}, {1.0f}}});
  node.set(net_dims(x) == map ? y : node.view(y, net_dims(x)), x);
}

void import_lrn(Node& node) {
  const Dims x = node.dims();
  node.require(x.size() >= 2, "axes", std::to_string(x.size()),
               "samples and channels, and any more");
  TensorOp op = make_op(Op::lrn);
  auto& p = *op.mutable_tg_lrn_param();
  const int64_t size = node.integer("size", 0);
  node.require(size >= 1 && size <= 31 && size % 2 == 1, "size", std::to_string(size),
               "odd, in [1, 31]");
  p.set_local_size(static_cast<uint32_t>(size));
  p.set_alpha(node.real("alpha", 1e-4f));
  p.set_beta(node.real("beta", 0.75f));
  p.set_k(node.real("bias", 1));
  // Places of the maps are alike. Columns may be more than those of a command.
  const Dims map = x.size() == 4 ? x : Dims{x[0], x[1], 1, run(x, 2, x.size())};
  const std::string y = node.add(std::move(op), {node.tensor(0, map)}, "");
  node.set(net_dims(x) == map ? y : node.view(y, net_dims(x)), x);
}

}  // namespace tputwin::net::onnx_reader

// Random layers of functions, factors, sums and statistics.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet_caffe_values/random_net.h"

namespace tputwin::net::testing {
namespace {

using Draft = NetBuilder::Draft;

std::optional<Draft> function(NetBuilder& builder, const std::string& blob) {
  Draft draft;
  draft.bottoms = {blob};
  draft.in_place = builder.chance(0.3);
  switch (builder.between(0, 8)) {
    case 0:
      draft.type = "ReLU";
      break;
    case 1:
      draft.type = "ReLU";
      draft.parameters =
          fmt::format("relu_param {{ negative_slope: {:.3f} }}", builder.real(-0.5F, 0.5F));
      break;
    case 2:
      draft.type = "ELU";
      if (builder.chance(0.6))
        draft.parameters = fmt::format("elu_param {{ alpha: {:.3f} }}", builder.real(0.2F, 2));
      break;
    case 3:
      draft.type = "Sigmoid";
      break;
    case 4:
      draft.type = "TanH";
      break;
    case 5:
      draft.type = "AbsVal";
      break;
    case 6:
      draft.type = "Clip";
      draft.parameters = fmt::format("clip_param {{ min: {:.3f} max: {:.3f} }}",
                                     builder.real(-2, 0), builder.real(0.1F, 2));
      break;
    case 7:
      draft.type = "Swish";
      if (builder.chance(0.6))
        draft.parameters = fmt::format("swish_param {{ beta: {:.3f} }}", builder.real(0.3F, 2));
      break;
    default:
      draft.type = "Power";
      draft.parameters =
          fmt::format("power_param {{ power: {} scale: {:.3f} shift: {:.3f} }}",
                      builder.between(1, 3), builder.real(-1, 1.5F), builder.real(-1, 1));
      break;
  }
  return draft;
}

std::optional<Draft> prelu(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() < 2) return std::nullopt;
  Draft draft{"PReLU", "", {blob}};
  draft.in_place = builder.chance(0.3);
  const bool shared = builder.chance(0.4);
  if (shared) draft.parameters = "prelu_param { channel_shared: true }";
  const Shape shape = shared ? Shape{} : Shape{x.extent(1)};
  draft.blobs.push_back({shape, builder.weights(shape, -0.5F, 0.5F)});
  return draft;
}

// The axes that a blob of Scale or Bias spans: none (one value), or the channels and further axes.
struct Span {
  int64_t axis, num_axes;
};
Span draw_span(NetBuilder& builder, const Tensor& x) {
  if (builder.chance(0.2)) return {builder.between(0, x.axes() - 1), 0};
  int64_t end = 2;
  while (end < x.axes() && x.extent(end) == 1 && builder.chance(0.5)) ++end;
  if (end == x.axes() && builder.chance(0.5)) return {1, -1};
  return {1, end - 1};
}

std::optional<Draft> factor(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() < 2) return std::nullopt;
  const bool is_scale = builder.chance(0.5), bias = is_scale && builder.chance(0.5);
  const Span span = draw_span(builder, x);
  const int64_t end = span.num_axes < 0 ? x.axes() : span.axis + span.num_axes;
  const Shape shape(x.shape.begin() + span.axis, x.shape.begin() + end);
  Draft draft{is_scale ? "Scale" : "Bias", is_scale ? "scale_param {" : "bias_param {", {blob}};
  draft.in_place = builder.chance(0.3);
  draft.parameters += builder.axis_text("axis", span.axis, x.axes(), 1);
  if (span.num_axes != 1 || builder.chance(0.3))
    draft.parameters += fmt::format(" num_axes: {}", span.num_axes);
  if (bias) draft.parameters += " bias_term: true";
  draft.parameters += " }";
  if (is_scale) draft.blobs.push_back({shape, builder.weights(shape, 0.3F, 2)});
  if (!is_scale || bias) draft.blobs.push_back({shape, builder.weights(shape, -2, 2)});
  return draft;
}

// The second bottom has one value for each channel, as an average over positions has.
std::optional<Draft> gate(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() != 4) return std::nullopt;
  const std::string other = builder.any_blob();
  const Tensor& y = builder.tensor(other);
  const bool channels = y.shape == Shape{x.extent(0), x.extent(1)};
  const bool map = y.shape == Shape{x.extent(0), x.extent(1), 1, 1};
  if (!channels && !map) return std::nullopt;
  if (builder.chance(0.4)) return Draft{"Axpy", "", {other, blob, blob}};
  return std::nullopt;
}

// The second bottom spans consecutive axes of the first.
std::optional<Draft> spanning(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const std::string other = builder.any_blob();
  const Tensor& y = builder.tensor(other);
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis + y.axes() <= x.axes(); ++axis)
    if (std::equal(y.shape.begin(), y.shape.end(), x.shape.begin() + axis)) axes.push_back(axis);
  if (axes.empty()) return std::nullopt;
  const std::string parameters =
      "_param {" + builder.axis_text("axis", builder.one_of(axes), x.axes(), 1) + " }";
  if (builder.chance(0.5)) return Draft{"Bias", "bias" + parameters, {blob, other}};
  return Draft{"Scale", "scale" + parameters, {blob, other}};
}

std::optional<Draft> eltwise(NetBuilder& builder, const std::string& blob) {
  Draft draft{"Eltwise", "eltwise_param {", {blob}};
  const int64_t others = builder.chance(0.8) ? 1 : 2;
  for (int64_t i = 0; i < others; ++i) draft.bottoms.push_back(builder.blob_like(blob, -1));
  const int64_t operation = builder.between(0, 2);
  if (operation != 1 || builder.chance(0.5))
    draft.parameters += std::string(" operation: ") + (operation == 0   ? "PROD"
                                                       : operation == 1 ? "SUM"
                                                                        : "MAX");
  if (operation == 1 && builder.chance(0.5))
    for (size_t i = 0; i < draft.bottoms.size(); ++i)
      draft.parameters += fmt::format(" coeff: {:.3f}", builder.real(-1.5F, 1.5F));
  draft.parameters += " }";
  return draft;
}

std::optional<Draft> batch_norm(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() < 2) return std::nullopt;
  Draft draft{"BatchNorm", "", {blob}};
  draft.in_place = builder.chance(0.5);
  const int64_t channels = x.extent(1);
  const bool own = builder.chance(0.2), is_set = own || builder.chance(0.2);
  if (is_set)
    draft.parameters = fmt::format("batch_norm_param {{ use_global_stats: {} eps: {:.4f} }}", !own,
                                   builder.real(0.001F, 0.1F));
  draft.blobs = {{{channels}, builder.weights({channels}, -1, 1)},
                 {{channels}, builder.weights({channels}, 0.5F, 2)},
                 {{1}, {builder.chance(0.5) ? 1.0F : builder.real(0.5F, 2)}}};
  return draft;
}

std::optional<Draft> softmax(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t axis = builder.between(0, x.axes() - 1);
  return Draft{
      "Softmax", "softmax_param {" + builder.axis_text("axis", axis, x.axes(), 1) + " }", {blob}};
}

std::optional<Draft> normalize(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() != 4) return std::nullopt;
  const bool shared = builder.chance(0.5), spatial = builder.chance(0.5);
  Draft draft{"Normalize", "", {blob}};
  draft.parameters =
      fmt::format("norm_param {{ across_spatial: {} channel_shared: {} }}", spatial, shared);
  draft.is_stable = spatial;  // with few channels the result is nearly the sign
  const Shape shape = shared ? Shape{} : Shape{x.extent(1)};
  draft.blobs.push_back({shape, builder.weights(shape, 1, 5)});
  return draft;
}

std::optional<Draft> reduction(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  const int64_t axis = builder.between(x.axes() > 1 ? 1 : 0, x.axes() - 1);
  static const std::vector<std::string> kOperations = {"SUM", "ASUM", "SUMSQ", "MEAN"};
  Draft draft{"Reduction", "reduction_param { operation: " + builder.one_of(kOperations), {blob}};
  draft.parameters += builder.axis_text("axis", builder.chance(0.2) ? 0 : axis, x.axes(), 0);
  if (builder.chance(0.4)) draft.parameters += fmt::format(" coeff: {:.3f}", builder.real(-2, 2));
  draft.parameters += " }";
  return draft;
}

}  // namespace

std::vector<Drawer> value_drawers() {
  return {function, function, function, prelu,      factor,  factor,    gate,     spanning,
          spanning, eltwise,  eltwise,  batch_norm, softmax, normalize, reduction};
}

}  // namespace tputwin::net::testing

// Random layers of windows and products of matrices.
#include <fmt/format.h>

#include <cmath>

#include "bmnet_caffe_values/random_net.h"

namespace tputwin::net::testing {
namespace {

using Draft = NetBuilder::Draft;

bool is_map(const Tensor& t) { return t.axes() == 4; }

struct Window {
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation;
};

// Returns `name: 3`, `name: 3 name: 2` or `name_h: 3 name_w: 2`.
std::string pair_text(NetBuilder& builder, const std::string& list, const std::string& name,
                      int64_t h, int64_t w) {
  if (h == w && builder.chance(0.5)) return fmt::format(" {}: {}", list, h);
  if (builder.chance(0.5)) return fmt::format(" {}_h: {} {}_w: {}", name, h, name, w);
  return fmt::format(" {}: {} {}: {}", list, h, list, w);
}

Window draw_window(NetBuilder& builder, const Tensor& x, bool dilates) {
  Window w{};
  w.dilation = dilates && builder.chance(0.2) ? 2 : 1;
  w.kernel_h = builder.between(1, 3);
  w.kernel_w = builder.between(1, 3);
  w.stride_h = builder.between(1, 3);
  w.stride_w = builder.between(1, 3);
  w.pad_h = builder.chance(0.4) ? builder.between(1, 2) : 0;
  w.pad_w = builder.chance(0.4) ? builder.between(1, 2) : 0;
  while (x.extent(2) + 2 * w.pad_h < w.dilation * (w.kernel_h - 1) + 1) --w.kernel_h;
  while (x.extent(3) + 2 * w.pad_w < w.dilation * (w.kernel_w - 1) + 1) --w.kernel_w;
  return w;
}

std::string window_text(NetBuilder& builder, const Window& w) {
  std::string text = pair_text(builder, "kernel_size", "kernel", w.kernel_h, w.kernel_w);
  if (w.stride_h != 1 || w.stride_w != 1 || builder.chance(0.2))
    text += pair_text(builder, "stride", "stride", w.stride_h, w.stride_w);
  if (w.pad_h != 0 || w.pad_w != 0 || builder.chance(0.2))
    text += pair_text(builder, "pad", "pad", w.pad_h, w.pad_w);
  if (w.dilation != 1) text += fmt::format(" dilation: {}", w.dilation);
  return text;
}

int64_t draw_group(NetBuilder& builder, int64_t channels) {
  if (builder.chance(0.6)) return 1;
  std::vector<int64_t> divisors;
  for (int64_t g = 1; g <= channels; ++g)
    if (channels % g == 0) divisors.push_back(g);
  return builder.one_of(divisors);
}

std::optional<Draft> draw_convolution(NetBuilder& builder, const std::string& blob,
                                      bool transposed) {
  const Tensor& x = builder.tensor(blob);
  if (!is_map(x)) return std::nullopt;
  Window w = draw_window(builder, x, true);
  if (transposed) {
    w.kernel_h = builder.between(1, 3);
    w.kernel_w = builder.between(1, 3);
    w.pad_h = builder.between(0, std::min<int64_t>(1, w.dilation * (w.kernel_h - 1)));
    w.pad_w = builder.between(0, std::min<int64_t>(1, w.dilation * (w.kernel_w - 1)));
  }
  const int64_t channels = x.extent(1), group = draw_group(builder, channels);
  const int64_t outputs = group * builder.between(1, 3);
  const bool bias = builder.chance(0.6);
  const Shape kernel = transposed ? Shape{channels, outputs / group, w.kernel_h, w.kernel_w}
                                  : Shape{outputs, channels / group, w.kernel_h, w.kernel_w};
  Draft draft{transposed ? "Deconvolution" : "Convolution", "", {blob}};
  draft.parameters =
      fmt::format("convolution_param {{ num_output: {}{}", outputs, window_text(builder, w));
  if (group > 1 || builder.chance(0.1)) draft.parameters += fmt::format(" group: {}", group);
  if (!bias) draft.parameters += " bias_term: false";
  if (builder.chance(0.1)) draft.parameters += builder.chance(0.5) ? " axis: 1" : " axis: -3";
  draft.parameters += " }";
  const float spread = 1.5F / std::sqrt(static_cast<float>(kernel[1] * kernel[2] * kernel[3]));
  draft.blobs.push_back({kernel, builder.weights(kernel, -spread, spread)});
  if (bias) draft.blobs.push_back({{outputs}, builder.weights({outputs}, -0.5F, 0.5F)});
  return draft;
}

std::optional<Draft> convolution(NetBuilder& builder, const std::string& blob) {
  return draw_convolution(builder, blob, false);
}
std::optional<Draft> deconvolution(NetBuilder& builder, const std::string& blob) {
  return draw_convolution(builder, blob, true);
}

std::optional<Draft> inner_product(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (x.axes() < 2) return std::nullopt;
  const int64_t axis = builder.chance(0.3) ? builder.between(0, x.axes() - 1) : 1;
  const int64_t inputs = x.count(axis),
                outputs = builder.chance(0.3) ? inputs : builder.between(1, 8);
  if (inputs > 600 || outputs > 64) return std::nullopt;
  const bool transposed = builder.chance(0.3), bias = builder.chance(0.6);
  const Shape shape = transposed ? Shape{inputs, outputs} : Shape{outputs, inputs};
  Draft draft{"InnerProduct", "", {blob}};
  draft.parameters = fmt::format("inner_product_param {{ num_output: {}", outputs);
  if (transposed) draft.parameters += " transpose: true";
  if (!bias) draft.parameters += " bias_term: false";
  draft.parameters += builder.axis_text("axis", axis, x.axes(), 1) + " }";
  const float spread = 1.5F / std::sqrt(static_cast<float>(inputs));
  draft.blobs.push_back({shape, builder.weights(shape, -spread, spread)});
  if (bias) draft.blobs.push_back({{outputs}, builder.weights({outputs}, -0.5F, 0.5F)});
  return draft;
}

// Returns true if a window is entirely after the input; Caffe then computes -3.4e38 or NaN, and
// tputwin refuses the net.
bool has_empty_window(int64_t size, int64_t kernel, int64_t stride, int64_t pad, bool ceil,
                      bool padded) {
  int64_t outputs = (size + 2 * pad - kernel + (ceil ? stride - 1 : 0)) / stride + 1;
  if (padded && (outputs - 1) * stride >= size + pad) --outputs;
  return outputs < 1 || (outputs - 1) * stride - pad >= size;
}

std::optional<Draft> pooling(NetBuilder& builder, const std::string& blob) {
  const Tensor& x = builder.tensor(blob);
  if (!is_map(x)) return std::nullopt;
  Draft draft{"Pooling", "pooling_param {", {blob}};
  const bool average = builder.chance(0.5);
  if (average || builder.chance(0.3)) draft.parameters += average ? " pool: AVE" : " pool: MAX";
  if (builder.chance(0.15)) {
    draft.parameters += " global_pooling: true }";
    return draft;
  }
  Window w = draw_window(builder, x, false);
  w.pad_h = std::min(w.pad_h, w.kernel_h - 1);
  w.pad_w = std::min(w.pad_w, w.kernel_w - 1);
  if (w.kernel_h > x.extent(2) + 2 * w.pad_h || w.kernel_w > x.extent(3) + 2 * w.pad_w)
    return std::nullopt;
  const bool ceil = builder.chance(0.6), padded = w.pad_h > 0 || w.pad_w > 0;
  if (has_empty_window(x.extent(2), w.kernel_h, w.stride_h, w.pad_h, ceil, padded) ||
      has_empty_window(x.extent(3), w.kernel_w, w.stride_w, w.pad_w, ceil, padded))
    return std::nullopt;
  const auto both = [&](const char* list, const char* name, int64_t h, int64_t v) {
    draft.parameters += h == v && builder.chance(0.6)
                            ? fmt::format(" {}: {}", list, h)
                            : fmt::format(" {}_h: {} {}_w: {}", name, h, name, v);
  };
  both("kernel_size", "kernel", w.kernel_h, w.kernel_w);
  both("stride", "stride", w.stride_h, w.stride_w);
  if (padded) both("pad", "pad", w.pad_h, w.pad_w);
  if (!ceil) draft.parameters += builder.chance(0.5) ? " ceil_mode: false" : " round_mode: FLOOR";
  if (ceil && builder.chance(0.1)) draft.parameters += " round_mode: CEIL";
  draft.parameters += " }";
  return draft;
}

std::optional<Draft> lrn(NetBuilder& builder, const std::string& blob) {
  if (!is_map(builder.tensor(blob))) return std::nullopt;
  const bool within = builder.chance(0.4);
  Draft draft{"LRN", "", {blob}};
  draft.parameters =
      fmt::format("lrn_param {{ local_size: {} alpha: {:.3f} beta: {:.3f}",
                  1 + 2 * builder.between(0, 2), builder.real(0.1F, 1), builder.real(0.3F, 0.9F));
  if (within)
    draft.parameters += " norm_region: WITHIN_CHANNEL";
  else if (builder.chance(0.5))
    draft.parameters += fmt::format(" k: {:.3f}", builder.real(1, 2));
  draft.parameters += " }";
  return draft;
}

}  // namespace

std::vector<Drawer> window_drawers() {
  return {convolution, convolution, deconvolution, inner_product, pooling, pooling, lrn};
}

}  // namespace tputwin::net::testing

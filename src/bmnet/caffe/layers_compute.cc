// Layers with weights or windows: convolution, inner product, pooling, normalization.
#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

using Uint32s = google::protobuf::RepeatedField<uint32_t>;

struct Pair {
  int64_t h = 0, w = 0;
};

// Returns a parameter that Caffe stores as a list (one value or two) or as NAME_h and NAME_w.
Pair pair_of(Importer& layer, std::string_view name, const Uint32s& list, bool has_h, bool has_w,
             uint32_t h, uint32_t w, int64_t otherwise) {
  if (has_h || has_w) {
    if (!list.empty()) layer.parameter(name, "given twice", "either a list or _h and _w");
    return {has_h ? h : otherwise, has_w ? w : otherwise};
  }
  if (list.empty()) return {otherwise, otherwise};
  if (list.size() > 2)
    layer.parameter(name, std::to_string(list.size()) + " values", "one value, or two: h and w");
  return {list.Get(0), list.Get(std::min(list.size() - 1, 1))};
}

bool range(Importer& layer, const std::string& name, Pair pair, int64_t low) {
  return layer.range(name, pair.h, low, kMaxExtent) && layer.range(name, pair.w, low, kMaxExtent);
}

struct Window {
  Pair kernel, stride, pad, dilation;
};

Window convolution_parameters(Importer& layer, const caffe::ConvolutionParameter& p) {
  Window window;
  window.kernel = pair_of(layer, "kernel_size", p.kernel_size(), p.has_kernel_h(), p.has_kernel_w(),
                          p.kernel_h(), p.kernel_w(), 0);
  window.stride = pair_of(layer, "stride", p.stride(), p.has_stride_h(), p.has_stride_w(),
                          p.stride_h(), p.stride_w(), 1);
  window.pad =
      pair_of(layer, "pad", p.pad(), p.has_pad_h(), p.has_pad_w(), p.pad_h(), p.pad_w(), 0);
  window.dilation = pair_of(layer, "dilation", p.dilation(), false, false, 0, 0, 1);
  range(layer, "kernel_size", window.kernel, 1);
  range(layer, "stride", window.stride, 1);
  range(layer, "pad", window.pad, 0);
  range(layer, "dilation", window.dilation, 1);
  layer.range("num_output", p.num_output(), 1, kMaxOutputs);
  layer.range("group", p.group(), 1, kMaxOutputs);
  if (p.group() > 0 && p.num_output() % p.group() != 0)
    layer.parameter("group", std::to_string(p.group()),
                    "num_output is " + std::to_string(p.num_output()));
  if (p.axis() != 1 && p.axis() != -3) layer.parameter("axis", std::to_string(p.axis()), "1");
  return window;
}

void add(Uint32s* list, std::initializer_list<int64_t> values) {
  for (int64_t v : values) list->Add(static_cast<uint32_t>(v));
}

// Returns the extent of the result along an axis; 0 if the kernel is larger than the input.
int64_t extent(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
               bool deconvolution) {
  const int64_t reach = dilation * (kernel - 1) + 1;
  if (deconvolution) return stride * (size - 1) + reach - 2 * pad;
  return size + 2 * pad < reach ? 0 : (size + 2 * pad - reach) / stride + 1;
}

void fill(const caffe::ConvolutionParameter& p, const Window& w, bool deconvolution, TensorOp& op) {
  auto& param = *op.mutable_tg_convolution_param();
  set_type(op, Op::convolution);
  add(param.mutable_kernel_size(), {w.kernel.h, w.kernel.w});
  add(param.mutable_stride(), {w.stride.h, w.stride.w});
  add(param.mutable_dilation(), {w.dilation.h, w.dilation.w});
  add(param.mutable_pad(), {w.pad.h, w.pad.h, w.pad.w, w.pad.w});
  if (deconvolution) add(param.mutable_ins(), {w.stride.h - 1, w.stride.w - 1});
  param.set_group(p.group());
  param.set_bias_term(p.bias_term());
}

// Checks everything that depends on the input's shape.
bool convolution_fits(Importer& layer, const caffe::ConvolutionParameter& p, const Window& w,
                      bool deconvolution) {
  if (!layer.axes_at_least(3)) return false;
  const int64_t channels = layer.extents().c;
  if (channels % p.group() != 0)
    layer.parameter("group", std::to_string(p.group()),
                    "the input has " + std::to_string(channels) + " channels");
  auto check_pad = [&](int64_t kernel, int64_t pad, int64_t dilation) {
    if (deconvolution && pad > dilation * (kernel - 1))
      layer.parameter("pad", std::to_string(pad), "at most kernel_size - 1 in a deconvolution");
  };
  check_pad(w.kernel.h, w.pad.h, w.dilation.h);
  check_pad(w.kernel.w, w.pad.w, w.dilation.w);
  return layer.ready();
}

void convolution(Importer& layer, bool deconvolution, bool depthwise) {
  caffe::ConvolutionParameter p = layer.caffe.convolution_param();
  // Depthwise layers of forks have a group per channel even if the text does not set it.
  if (depthwise && p.group() <= 1 && layer.ready())
    p.set_group(static_cast<uint32_t>(layer.extents().c));
  const Window w = convolution_parameters(layer, p);
  fill(p, w, deconvolution, layer.op);
  if (!layer.ready() || !convolution_fits(layer, p, w, deconvolution)) return;
  const Extents in = layer.extents();
  const int64_t group = p.group(), outputs = p.num_output();
  layer.output({in.n, outputs,
                extent(in.h, w.kernel.h, w.stride.h, w.pad.h, w.dilation.h, deconvolution),
                extent(in.w, w.kernel.w, w.stride.w, w.pad.w, w.dilation.w, deconvolution)});
  const Dims kernel = deconvolution ? Dims{in.c, outputs / group, w.kernel.h, w.kernel.w}
                                    : Dims{outputs, in.c / group, w.kernel.h, w.kernel.w};
  std::vector<Importer::Weight> weights = {{"weight", kernel}};
  if (p.bias_term()) weights.push_back({"bias", {outputs}});
  layer.weights(weights);
}

// ---- Pooling ----

struct PoolAxis {
  int64_t kernel, stride, pad, pad_end = 0, outputs = 0;
};

// Computes Caffe's number of windows, and the end padding that the last one needs. If either axis
// has padding, both axes drop a last window that begins after the input.
void count_windows(PoolAxis& axis, int64_t size, bool ceil, bool is_padded) {
  const int64_t slack = size + 2 * axis.pad - axis.kernel;
  if (slack <= -axis.stride || (slack < 0 && !ceil)) return;
  axis.outputs = (ceil ? slack + axis.stride - 1 : slack) / axis.stride + 1;
  if (is_padded && (axis.outputs - 1) * axis.stride >= size + axis.pad) --axis.outputs;
  axis.pad_end =
      std::max<int64_t>(0, (axis.outputs - 1) * axis.stride + axis.kernel - size - axis.pad);
}

void pooling_axis(Importer& layer, PoolAxis& axis, int64_t size, bool ceil, bool is_padded) {
  count_windows(axis, size, ceil, is_padded);
  if (axis.outputs < 1)
    layer.parameter("kernel_size", std::to_string(axis.kernel),
                    "larger than the padded input of " + std::to_string(size + 2 * axis.pad));
  else if ((axis.outputs - 1) * axis.stride - axis.pad >= size)
    layer.parameter("stride", std::to_string(axis.stride), "the last window is after the input");
}

Window pooling_parameters(Importer& layer, const caffe::PoolingParameter& p) {
  Window w;
  auto either = [&](bool has_h, bool has_w, int64_t h, int64_t width, int64_t both) {
    return Pair{has_h ? h : both, has_w ? width : both};
  };
  w.kernel =
      either(p.has_kernel_h(), p.has_kernel_w(), p.kernel_h(), p.kernel_w(), p.kernel_size());
  w.stride = either(p.has_stride_h(), p.has_stride_w(), p.stride_h(), p.stride_w(), p.stride());
  w.pad = either(p.has_pad_h(), p.has_pad_w(), p.pad_h(), p.pad_w(), p.pad());
  if (p.pool() == caffe::PoolingParameter::STOCHASTIC)
    layer.parameter("pool", "STOCHASTIC", "MAX or AVE");
  if (p.global_pooling()) {
    if (p.has_kernel_size() || p.has_kernel_h() || p.has_kernel_w())
      layer.parameter("kernel_size", "given", "none with global_pooling");
    if (w.pad.h != 0 || w.pad.w != 0) layer.parameter("pad", "not 0", "0 with global_pooling");
    w.stride = {1, 1};
    return w;
  }
  range(layer, "kernel_size", w.kernel, 1);
  range(layer, "stride", w.stride, 1);
  range(layer, "pad", w.pad, 0);
  if (w.pad.h >= w.kernel.h)
    layer.parameter("pad", std::to_string(w.pad.h), "below kernel_size");
  else if (w.pad.w >= w.kernel.w)
    layer.parameter("pad", std::to_string(w.pad.w), "below kernel_size");
  return w;
}

// Sets the blobs to one value per channel. Blobs of one value are repeated for every channel.
void per_channel(Importer& layer, int64_t channels) {
  for (Blob& blob : layer.blobs()) {
    if (blob.data.size() == 1) blob.data.resize(static_cast<size_t>(channels), blob.data[0]);
    blob.shape = {channels};
  }
}

// Computes the extents that the blob of a Scale or Bias layer spans. Returns false if the TPU
// cannot compute it.
bool scale_dims(Importer& layer, int64_t first, int64_t num_axes, Dims& spanned) {
  const Dims dims = layer.dims();
  int axis = 0;
  if (!layer.axis("axis", first, dims, axis)) return false;
  const auto axes = static_cast<int64_t>(dims.size());
  const int64_t end = num_axes < 0 ? axes : axis + num_axes;
  if (num_axes < -1 || end > axes) {
    layer.problem(errors::net_axis, "num_axes", std::to_string(num_axes),
                  "the shape is " + describe(dims));
    return false;
  }
  spanned = Dims(dims.begin() + axis, dims.begin() + end);
  const int64_t channels = dims.size() > 1 ? dims[1] : 1;
  const bool scalar = volume(spanned) == 1 && channels <= kMaxExtent;
  const bool channel = axis == 1 && volume(spanned) == channels;
  if (scalar || channel) return true;
  layer.parameter(
      "axis", std::to_string(first),
      "one factor per channel: axis 1 and num_axes 1; here the blob spans " + describe(spanned));
  return false;
}

void scale(Importer& layer, int64_t axis, int64_t num_axes, bool factor, bool bias) {
  set_type(layer.op, Op::scale);
  auto& param = *layer.op.mutable_tg_scale_param();
  param.set_axis(1);
  param.set_num_axes(1);
  param.set_bias_term(bias);
  Dims spanned;
  if (!layer.ready() || !layer.axes_at_least(2) || !scale_dims(layer, axis, num_axes, spanned))
    return;
  const Extents in = layer.extents();
  param.set_scale_dim(static_cast<uint32_t>(in.c));
  param.set_inner_dim(static_cast<uint32_t>(in.h * in.w));
  std::vector<Importer::Weight> weights;
  if (factor) weights.push_back({"scale", spanned});
  if (bias) weights.push_back({"bias", spanned});
  layer.weights(weights);
  per_channel(layer, in.c);
  if (!factor && !layer.blobs().empty())
    layer.blobs().insert(layer.blobs().begin(),
                         Blob{{in.c}, std::vector<float>(static_cast<size_t>(in.c), 1.0F)});
  layer.output_like_input();
}

void import_convolution(Importer& layer) { convolution(layer, false, false); }
void import_depthwise(Importer& layer) { convolution(layer, false, true); }
void import_deconvolution(Importer& layer) { convolution(layer, true, false); }

void import_inner_product(Importer& layer) {
  const auto& p = layer.caffe.inner_product_param();
  set_type(layer.op, Op::inner_product);
  auto& param = *layer.op.mutable_tg_inner_product_param();
  param.set_num_output(p.num_output());
  param.set_bias_term(p.bias_term());
  param.set_weight_transpose(!p.transpose());
  layer.range("num_output", p.num_output(), 1, kMaxOutputs);
  if (!layer.ready() || !layer.axes_at_least(1)) return;
  const Dims dims = layer.dims();
  const auto axes = static_cast<int64_t>(dims.size());
  if (p.axis() != 1 && p.axis() != 1 - axes) {  // other valid axes were expanded
    layer.problem(errors::net_axis, "axis", std::to_string(p.axis()),
                  "the shape is " + describe(dims));
    return;
  }
  const int64_t n = p.num_output(), k = volume(dims, 1);
  layer.output({dims[0], n});
  std::vector<Importer::Weight> weights = {{"weight", p.transpose() ? Dims{k, n} : Dims{n, k}}};
  if (p.bias_term()) weights.push_back({"bias", {n}});
  layer.weights(weights);
}

void import_pooling(Importer& layer) {
  const auto& p = layer.caffe.pooling_param();
  const Window w = pooling_parameters(layer, p);
  set_type(layer.op, Op::pooling);
  auto& param = *layer.op.mutable_tg_pooling_param();
  param.set_pool(p.pool() == caffe::PoolingParameter::AVE ? ::bmnet::TGPoolingParameter::AVE
                                                          : ::bmnet::TGPoolingParameter::MAX);
  param.set_ceil_mode(p.ceil_mode());
  if (!layer.ready() || !layer.axes_at_least(3)) return;
  const Extents in = layer.extents();
  const bool global = p.global_pooling();
  PoolAxis h{global ? in.h : w.kernel.h, w.stride.h, w.pad.h};
  PoolAxis v{global ? in.w : w.kernel.w, w.stride.w, w.pad.w};
  const bool is_padded = h.pad > 0 || v.pad > 0;
  pooling_axis(layer, h, in.h, p.ceil_mode(), is_padded);
  pooling_axis(layer, v, in.w, p.ceil_mode(), is_padded);
  if (!layer.ready()) return;
  add(param.mutable_kernel_size(), {h.kernel, v.kernel});
  add(param.mutable_stride(), {h.stride, v.stride});
  add(param.mutable_pad(), {h.pad, h.pad_end, v.pad, v.pad_end});
  layer.output({in.n, in.c, h.outputs, v.outputs});
}

void import_batch_norm(Importer& layer) {
  const auto& p = layer.caffe.batch_norm_param();
  const bool own_statistics = has_own_statistics(layer.caffe);
  if (own_statistics) {
    set_type(layer.op, Op::standardize);
    auto& param = *layer.op.mutable_tg_standardize_param();
    param.set_eps(p.eps());
    param.set_per_channel(true);
  } else {
    set_type(layer.op, Op::batchnorm);
    layer.op.mutable_tg_batchnorm_param()->set_eps(p.eps());
  }
  if (layer.finite("eps", p.eps()) && p.eps() < 0)
    layer.parameter("eps", std::to_string(p.eps()), "not negative");
  if (!layer.ready()) return;
  const int64_t c = layer.dims().size() > 1 ? layer.dims()[1] : 1;
  if (!own_statistics || layer.caffe.blobs_size() > 0)
    layer.weights({{"mean", {c}}, {"variance", {c}}, {"factor", {1}}});
  if (own_statistics) layer.blobs().clear();  // Caffe loads them and does not read them
  layer.output_like_input();
}

void second_bottom_does_not_fit(Importer& layer, int axis) {
  if (layer.ready())
    layer.problem(errors::net_operand_shapes, layer.op.bottom(1), describe(layer.dims(1)),
                  "it has the extents of " + describe(layer.dims(0)) + " from axis " +
                      std::to_string(axis) + " on");
}

// expand_scale expands two bottoms to a product. If they arrive here, they are an error.
void import_scale(Importer& layer) {
  const auto& p = layer.caffe.scale_param();
  if (layer.caffe.bottom_size() == 2) {
    if (p.bias_term())
      layer.parameter("bias_term", "true", "none with two bottoms; a Bias layer adds it");
    else
      second_bottom_does_not_fit(layer, p.axis());
    return;
  }
  scale(layer, p.axis(), p.num_axes(), true, p.bias_term());
}

// Reports shapes that expand_axpy does not accept.
void import_axpy(Importer& layer) {
  if (layer.ready())
    layer.problem(errors::net_operand_shapes, layer.op.bottom(0), describe(layer.dims(0)),
                  "(n,c) or (n,c,1,1) of " + describe(layer.dims(1)));
}

void import_bias(Importer& layer) {
  const auto& p = layer.caffe.bias_param();
  if (layer.caffe.bottom_size() == 2) return second_bottom_does_not_fit(layer, p.axis());
  scale(layer, p.axis(), p.num_axes(), false, true);
}

void import_lrn(Importer& layer) {
  const auto& p = layer.caffe.lrn_param();
  set_type(layer.op, Op::lrn);
  auto& param = *layer.op.mutable_tg_lrn_param();
  param.set_local_size(p.local_size());
  param.set_alpha(p.alpha());
  param.set_beta(p.beta());
  param.set_k(p.k());
  layer.range("local_size", p.local_size(), 1, kMaxExtent);
  if (p.local_size() % 2 == 0)
    layer.parameter("local_size", std::to_string(p.local_size()), "an odd number");
  layer.finite("alpha", p.alpha());
  layer.finite("beta", p.beta());
  layer.finite("k", p.k());
  if (layer.ready() && layer.axes_at_least(2)) layer.output_like_input();
}

void import_normalize(Importer& layer) {
  const auto& p = layer.caffe.norm_param();
  set_type(layer.op, Op::norm);
  auto& param = *layer.op.mutable_tg_norm_param();
  param.set_across_spatial(p.across_spatial());
  param.set_channel_shared(p.channel_shared());
  param.set_eps(p.eps());
  layer.positive("eps", p.eps());
  if (!layer.ready() || !layer.axes_at_least(2)) return;
  layer.weights({{"scale", p.channel_shared() ? Dims{} : Dims{layer.extents().c}}});
  if (!layer.blobs().empty())
    param.mutable_scale()->Assign(layer.blobs()[0].data.begin(), layer.blobs()[0].data.end());
  layer.output_like_input();
}

// The types of these layers.
constexpr LayerKind kWeightedLayers[] = {
    {.type = "Convolution", .import = import_convolution},
    {.type = "DepthwiseConvolution", .import = import_depthwise},
    {.type = "ConvolutionDepthwise", .import = import_depthwise},
    {.type = "Deconvolution", .import = import_deconvolution},
    {.type = "InnerProduct", .import = import_inner_product, .expand = expand_inner_product},
    {.type = "Pooling", .import = import_pooling},
    {.type = "BatchNorm", .import = import_batch_norm},
    {.type = "Scale", .import = import_scale, .max_bottoms = 2, .expand = expand_scale},
    {.type = "Axpy",
     .import = import_axpy,
     .min_bottoms = 3,
     .max_bottoms = 3,
     .expand = expand_axpy},
    {.type = "Bias", .import = import_bias, .max_bottoms = 2, .expand = expand_bias},
    {.type = "LRN", .import = import_lrn, .expand = expand_lrn},
    {.type = "Normalize", .import = import_normalize},
};

}  // namespace

std::span<const LayerKind> weighted_layers() { return kWeightedLayers; }

}  // namespace tputwin::net

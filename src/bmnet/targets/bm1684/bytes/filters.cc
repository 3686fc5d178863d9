// Products of bytes with weights: sat8(rhu(sum of w * x + bias, shift)), exact inside.
#include <fmt/format.h>

#include <array>

#include "bmnet/targets/bm1684/bytes/byte_kernel.h"
#include "isa/streams/reader.h"

namespace tputwin::net::bm1684 {
namespace {

using bm1684x::WindowKernel;

class ByteFilter : public WindowKernel {
 public:
  int shift = 0;

 protected:
  std::optional<TensorView> bias(const Operands& o, int64_t channels) const {
    if (weights.size() < 2) return std::nullopt;
    return bm1684x::compact(o.weights[1].address, {1, channels, 1, 1}, DType::i16);
  }
  void finish(StreamProgram& program, const Operands& o) const {
    if (do_relu) emit_byte_relu(program, bytes_of(o.output));
  }
};

class ByteConvolution final : public ByteFilter {
 public:
  bool can_split_channels() const override { return true; }

  void emit(StreamProgram& program, const Operands& o) const override {
    const auto kh = static_cast<uint32_t>(window.kernel_h);
    const auto kw = static_cast<uint32_t>(window.kernel_w);
    const auto inputs_of_group = static_cast<uint32_t>(inputs[0].e.c);
    const auto outputs = static_cast<uint32_t>(o.output.e.c);
    const isa::ElementStrides strides{kh * kw, static_cast<uint64_t>(weights[0].e.h), kw, 1};
    const TensorView weight =
        isa::CommandReader(bm1684x::chip())
            .placed({"weight", o.weights[0].address}, {"layout", isa::kStrided},
                    {inputs_of_group, outputs, kh, kw}, DType::i8, strides,
                    static_cast<uint8_t>(kImages));
    program.add(Conv2dBm1684Int8{.out = bytes_of(o.output),
                                 .in = bytes_of(o.inputs[0]),
                                 .weight = weight,
                                 .bias = bias(o, o.output.e.c),
                                 .window = window_of_tile(o),
                                 .rshift = static_cast<uint32_t>(shift)});
    finish(program, o);
  }
};

// One filter per channel: convolutions, factors, and averages.
class ByteDepthwise final : public ByteFilter {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    program.add(Depthwise2dBm1684Int8{.out = bytes_of(o.output),
                                      .in = bytes_of(o.inputs[0]),
                                      .weight = Source::tensor(bm1684x::compact(
                                          o.weights[0].address, weights[0].e, weights[0].type)),
                                      .bias = bias(o, o.output.e.c),
                                      .window = window_of_tile(o),
                                      .rshift = static_cast<uint32_t>(shift)});
    finish(program, o);
  }
};

class ByteMaximum final : public WindowKernel {
 public:
  std::optional<Multiplier> rescale;

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView out = bytes_of(o.output);
    program.add(Pool2dBm1684Int8{
        .out = out, .in = bytes_of(o.inputs[0]), .window = window_of_tile(o), .relu = false});
    if (rescale) emit_scaled(program, out, out, rescale->multiplier, false, rescale->shift);
    if (do_relu) emit_byte_relu(program, out);
  }
};

uint8_t byte_of(float value) { return static_cast<uint8_t>(static_cast<int>(value)); }

// Converts rows `oc` of (OC, IC, KH, KW) to words of four input channels: words of all taps, for
// each four channels. The last word is filled up with zeros.
Weight packed_words(std::span<const float> kernel, Span oc, int64_t ic, int64_t taps) {
  const int64_t words = ceil_div(ic, kImages);
  std::vector<uint8_t> bytes(static_cast<size_t>(oc.count() * words * taps * kImages));
  uint8_t* to = bytes.data();
  for (int64_t o = oc.begin; o < oc.end; ++o)
    for (int64_t first = 0; first < ic; first += kImages)
      for (int64_t k = 0; k < taps; ++k, to += kImages)
        for (int64_t i = first; i < std::min(first + kImages, ic); ++i)
          to[i - first] = byte_of(kernel[static_cast<size_t>((o * ic + i) * taps + k)]);
  return {.bytes = std::move(bytes), .e = {1, oc.count(), words * taps, 1}, .type = DType::b32};
}

Weight packed_biases(std::span<const float> values) {
  std::vector<uint8_t> bytes;
  for (const float v : values)
    for (const int part : {0, 8})
      bytes.push_back(static_cast<uint8_t>(static_cast<int>(v) >> part));
  return {.bytes = std::move(bytes),
          .e = {1, static_cast<int64_t>(values.size()), 1, 1},
          .type = DType::i16};
}

Weight filter_bytes(std::span<const float> values, const Extents& e, DType type) {
  std::vector<uint8_t> bytes(values.size());
  std::ranges::transform(values, bytes.begin(), byte_of);
  return {.bytes = std::move(bytes), .e = e, .type = type};
}

template <class K>
std::unique_ptr<K> filter(const ByteLayer& layer, const Window2d& window) {
  auto k = std::make_unique<K>();
  k->window = window;
  k->inputs = {layer.input()};
  k->output = layer.output();
  k->shift = layer.integers.right_shift;
  return k;
}

std::span<const float> part_of_blob(const Blob& blob, Span range) {
  return std::span(blob.data).subspan(static_cast<size_t>(range.begin),
                                      static_cast<size_t>(range.count()));
}

}  // namespace

Kernels lower_cells_convolution(const ByteLayer& layer) {
  const TensorOp& op = layer.layer.op;
  const auto& param = op.tg_convolution_param();
  const View in = layer.input(), out = layer.output();
  Window2d window = convolution_window(op);
  TW_RETURN_IF_ERROR(bm1684x::fit_window(op, window, in.e, out.e));
  const std::vector<Blob>& blobs = layer.layer.blobs();
  const std::vector<float> kernel = convolution_kernel(op, blobs[0]);
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  const bool depthwise = is_depthwise(op);
  const int64_t groups = depthwise ? 1 : param.group();
  std::vector<KernelPtr> kernels;
  for (int64_t g = 0; g < groups; ++g) {
    const Span ic{in.e.c / groups * g, in.e.c / groups * (g + 1)};
    const Span oc{out.e.c / groups * g, out.e.c / groups * (g + 1)};
    std::unique_ptr<ByteFilter> k;
    if (depthwise) {
      k = filter<ByteDepthwise>(layer, window);
      k->weights.push_back(
          filter_bytes(kernel, {1, out.e.c, window.kernel_h, window.kernel_w}, DType::i8));
    } else {
      k = filter<ByteConvolution>(layer, window);
      k->weights.push_back(packed_words(kernel, oc, ic.count(), taps));
    }
    if (param.bias_term()) k->weights.push_back(packed_biases(part_of_blob(blobs[1], oc)));
    k->inputs = {bm1684x::channels_of(in, ic)};
    k->output = bm1684x::channels_of(out, oc);
    k->do_relu = param.do_activation();
    kernels.push_back(std::move(k));
  }
  return kernels;
}

Kernels lower_cells_inner_product(const ByteLayer& layer) {
  const TensorOp& op = layer.layer.op;
  const auto& param = op.tg_inner_product_param();
  const std::vector<Blob>& blobs = layer.layer.blobs();
  const std::vector<float> matrix =
      param.weight_transpose() ? blobs[0].data : inner_product_matrix(op, blobs[0]);
  const int64_t outputs = param.num_output();
  const int64_t length = static_cast<int64_t>(matrix.size()) / outputs;
  const int64_t samples = count(op.input_shape(0)) / length;
  if (samples != op.input_shape(0).dim(0))
    return bm1684x::unsupported(op, "rows", std::to_string(samples),
                                "in bytes each sample is one row; --type fp32 has no such limit");
  Extents in = extents(op.input_shape(0));
  if (in.c * in.h * in.w != length || in.c > bm1684x::chip().limits.channels)
    in = bm1684x::window_extents(samples, length);
  auto k = filter<ByteConvolution>(
      layer, {.kernel_h = static_cast<int>(in.h), .kernel_w = static_cast<int>(in.w)});
  k->inputs[0].e = in;
  k->output.e = {samples, outputs, 1, 1};
  k->weights.push_back(packed_words(matrix, {0, outputs}, in.c, in.h * in.w));
  if (param.bias_term()) k->weights.push_back(packed_biases(blobs[1].data));
  k->do_relu = param.do_activation();
  return bm1684x::one(std::move(k));
}

Kernels lower_cells_scale(const ByteLayer& layer) {
  const TensorOp& op = layer.layer.op;
  const std::vector<Blob>& blobs = layer.layer.blobs();
  auto k = filter<ByteDepthwise>(layer, {});
  const int64_t channels = k->output.e.c;
  if (static_cast<int64_t>(blobs[0].data.size()) != channels)
    return bm1684x::unsupported(
        op, "factors", std::to_string(blobs[0].data.size()),
        fmt::format("each of the {} channels needs one: write them all in the net", channels));
  k->weights.push_back(filter_bytes(blobs[0].data, {1, channels, 1, 1}, DType::i8));
  if (op.tg_scale_param().bias_term()) k->weights.push_back(packed_biases(blobs[1].data));
  k->do_relu = op.tg_scale_param().do_activation();
  return bm1684x::one(std::move(k));
}

// An average is a sum with one factor for all taps, an unsigned byte.
Kernels lower_cells_pooling(const ByteLayer& layer) {
  const TensorOp& op = layer.layer.op;
  const View in = layer.input(), out = layer.output();
  Window2d window = pooling_window(op);
  TW_RETURN_IF_ERROR(bm1684x::fit_window(op, window, in.e, out.e));
  const std::vector<int>& multiplier = layer.integers.multiplier;
  const bool do_relu = op.tg_pooling_param().do_activation();
  if (op.tg_pooling_param().pool() != ::bmnet::TGPoolingParameter::AVE) {
    auto k = std::make_unique<ByteMaximum>();
    k->window = window;
    k->inputs = {in};
    k->output = out;
    k->do_relu = do_relu;
    if (!multiplier.empty()) k->rescale = Multiplier{multiplier[0], layer.integers.right_shift};
    return bm1684x::one(std::move(k));
  }
  auto k = filter<ByteDepthwise>(layer, window);
  const std::vector<float> factors(static_cast<size_t>(out.e.c * window.kernel_h * window.kernel_w),
                                   static_cast<float>(multiplier.empty() ? 1 : multiplier[0]));
  k->weights.push_back(
      filter_bytes(factors, {1, out.e.c, window.kernel_h, window.kernel_w}, DType::u8));
  k->do_relu = do_relu;
  return bm1684x::one(std::move(k));
}

}  // namespace tputwin::net::bm1684

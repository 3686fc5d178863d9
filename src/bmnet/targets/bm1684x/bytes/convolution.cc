// Convolutions and inner products of bytes, with a scale per output channel.
//
// acc = sum of x * w + bias in 32 bits, w = weight / s(c), bias / (scale_in * s(c)).
// y = saturate(acc * (scale_in * s(c) / scale_out)), or float(acc) * (scale_in * s(c)).
#include <cmath>

#include "bmnet/targets/bm1684x/bytes/scaling.h"
#include "bmnet/targets/bm1684x/window.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::net::bm1684x {
namespace {

using Integer = IntArithmetic::Kind;

// Integers of a layer, by output channel.
struct ChannelIntegers {
  std::vector<float> weights;  // integers in [-127, 127]
  std::vector<int32_t> biases;
  std::vector<double> scales;  // of the accumulators
};

// Biases of more than this many units make the scale of their channel larger.
constexpr double kMostBias = 1 << 29;

ChannelIntegers integers_of(std::span<const float> weights, std::span<const float> biases,
                            int64_t channels, double scale_in) {
  ChannelIntegers result;
  result.weights.resize(weights.size());
  const size_t run = weights.size() / static_cast<size_t>(channels);
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    const std::span<const float> own = weights.subspan(c * run, run);
    double largest = 0;
    for (float w : own) largest = std::max(largest, std::fabs(double{w}));
    const double bias = biases.empty() ? 0 : double{biases[c]};
    double unit = largest > 0 ? largest / 127 : 1;
    unit = std::max(unit, std::fabs(bias) / scale_in / kMostBias);
    for (size_t i = 0; i < run; ++i)
      result.weights[c * run + i] = static_cast<float>(std::nearbyint(own[i] / unit));
    result.biases.push_back(static_cast<int32_t>(std::llround(bias / (scale_in * unit))));
    result.scales.push_back(scale_in * unit);
  }
  return result;
}

// The words of a channel: multiplier, shift, offset, bias for bytes; scale, unused, unused, bias
// for floats.
constexpr int64_t kWords = 4, kBiasWord = 3;

Weight channel_words(const ChannelIntegers& integers, const Layer& layer) {
  std::vector<int32_t> words;
  for (size_t c = 0; c < integers.biases.size(); ++c) {
    const double scale = integers.scales[c];
    if (layer.type() == DType::f32) {
      words.insert(words.end(), {static_cast<int32_t>(f32::bits(static_cast<float>(scale))), 0, 0});
    } else {
      const Scaling s = scaling_of(scale / layer.scale_out());
      words.insert(words.end(), {s.multiplier, -s.shift, 0});
    }
    words.push_back(integers.biases[c]);
  }
  return {.bytes = word_bytes(words),
          .e = {1, static_cast<int64_t>(integers.biases.size()), 1, kWords},
          .layout = Weight::Layout::aligned,
          .type = DType::i32};
}

// Weights: the filters, then the words of channels.
class ByteWindow : public WindowKernel {
 public:
  int64_t scratch_bytes(const Extents& e) const override {
    return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::i32}, e);
  }

 protected:
  TensorView accumulators(const Operands& o) const {
    return aligned(o.scratch, o.output.e, DType::i32);
  }

  // Word `index` of every channel, repeated over the result.
  Source channel_word(const Operands& o, int64_t index, DType type) const {
    TensorView view = aligned(o.weights[1].address, {1, o.output.e.c, 1, kWords}, type);
    view.address += static_cast<uint64_t>(index * 4);
    view.shape = shape_of(o.output.e);
    view.stride.n = view.stride.h = view.stride.w = 0;
    return Source::tensor(view);
  }

  void add_biases(StreamProgram& program, const Operands& o) const {
    const TensorView acc = accumulators(o);
    program.add(IntArithmetic{.kind = Integer::add,
                              .out = acc,
                              .a = channel_word(o, kBiasWord, DType::i32),
                              .b = Source::tensor(acc)});
  }

  // Scales the accumulators.
  void finish(StreamProgram& program, const Operands& o) const {
    const TensorView acc = accumulators(o), out = out_view(o);
    if (out.dtype == DType::f32) {
      program.add(Convert{.rounding = Rounding::half_even, .out = out, .in = acc});
      program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                                  .out = out,
                                  .a = Source::tensor(out),
                                  .b = channel_word(o, 0, DType::f32)});
      if (do_relu) emit_relu(program, out);
      return;
    }
    program.add(Requantize{.kind = Requantize::Kind::to_narrow,
                           .out = out,
                           .in = acc,
                           .multiplier = channel_word(o, 0, DType::i32),
                           .shift = channel_word(o, 1, DType::i32),
                           .offset = channel_word(o, 2, DType::i32),
                           .rounding = Rounding::half_up});
  }
};

class ByteConvolution final : public ByteWindow {
 public:
  bool can_split_channels() const override { return true; }

  void emit(StreamProgram& program, const Operands& o) const override {
    Extents w = weights[0].e;
    w.c = o.output.e.c;
    program.add(
        Conv2dBm1684xInt8{.out = accumulators(o),
                          .in = in_view(o),
                          .weight = Source::tensor(compact(o.weights[0].address, w, DType::i8)),
                          .zero_point = Source::value(0, DType::i8),
                          .padding = Source::value(0, inputs[0].type),
                          .insertion = Source::value(0, inputs[0].type),
                          .window = window_of_tile(o)});
    add_biases(program, o);
    finish(program, o);
  }
};

// A third weight has the biases.
class ByteDepthwise final : public ByteWindow {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    program.add(Depthwise2dBm1684xInt8{
        .out = accumulators(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, weights[0].e, DType::i8)),
        .bias = compact(o.weights[2].address, weights[2].e, DType::i32),
        .padding = Source::value(0, inputs[0].type),
        .insertion = Source::value(0, inputs[0].type),
        .window = window_of_tile(o)});
    finish(program, o);
  }
};

// Repeats rows and columns.
class ByteUpsample final : public WindowKernel {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    program.add(Depthwise2dBm1684xInt8{
        .out = out_view(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, weights[0].e, DType::i8)),
        .padding = Source::value(0, inputs[0].type),
        .insertion = Source::value(0, inputs[0].type),
        .window = window_of_tile(o)});
  }
};

// Converts rows of (OC, IC, KH, KW) to the order of commands.
Weight packed_bytes(std::span<const float> kernel, int64_t oc, int64_t ic, int64_t taps) {
  const int64_t group = weight_group(DType::i8), groups = ceil_div(ic, group);
  std::vector<uint8_t> packed(static_cast<size_t>(oc * groups * taps * group));
  uint8_t* to = packed.data();
  for (int64_t o = 0; o < oc; ++o)
    for (int64_t first = 0; first < ic; first += group)
      for (int64_t k = 0; k < taps; ++k, to += group)
        for (int64_t i = first; i < std::min(first + group, ic); ++i)
          to[i - first] = static_cast<uint8_t>(
              static_cast<int>(kernel[static_cast<size_t>((o * ic + i) * taps + k)]));
  return {.bytes = std::move(packed), .e = {1, oc, groups * taps, group}, .type = DType::i8};
}

Weight bias_words(const ChannelIntegers& integers) {
  return {.bytes = word_bytes(integers.biases),
          .e = {1, static_cast<int64_t>(integers.biases.size()), 1, 1},
          .type = DType::i32};
}

std::span<const float> biases_of(const Layer& layer, bool has_bias, Span channels) {
  if (!has_bias) return {};
  return std::span(layer.blobs()[1].data)
      .subspan(static_cast<size_t>(channels.begin), static_cast<size_t>(channels.count()));
}

}  // namespace

Kernels lower_byte_convolution(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_convolution_param();
  const View in = layer.input(0), out = layer.output();
  Window2d window = convolution_window(op);
  TW_RETURN_IF_ERROR(fit_window(op, window, in.e, out.e));
  const std::vector<float> kernel = convolution_kernel(op, layer.blobs()[0]);
  const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
  const bool depthwise = is_depthwise(op);
  const int64_t groups = depthwise ? 1 : param.group();
  const size_t part = kernel.size() / static_cast<size_t>(groups);
  std::vector<KernelPtr> kernels;
  for (int64_t g = 0; g < groups; ++g) {
    const Span ic{in.e.c / groups * g, in.e.c / groups * (g + 1)};
    const Span oc{out.e.c / groups * g, out.e.c / groups * (g + 1)};
    const ChannelIntegers integers =
        integers_of(std::span(kernel).subspan(static_cast<size_t>(g) * part, part),
                    biases_of(layer, param.bias_term(), oc), oc.count(), layer.scale_in());
    std::unique_ptr<ByteWindow> k;
    if (depthwise) {
      k = std::make_unique<ByteDepthwise>();
      k->weights.push_back({.bytes = byte_weights(integers.weights),
                            .e = {1, out.e.c, window.kernel_h, window.kernel_w},
                            .type = DType::i8});
    } else {
      k = std::make_unique<ByteConvolution>();
      k->weights.push_back(packed_bytes(integers.weights, oc.count(), ic.count(), taps));
    }
    k->weights.push_back(channel_words(integers, layer));
    if (depthwise) k->weights.push_back(bias_words(integers));
    k->window = window;
    k->inputs = {channels_of(in, ic)};
    k->output = channels_of(out, oc);
    k->do_relu = param.do_activation();
    kernels.push_back(std::move(k));
  }
  return kernels;
}

Kernels lower_byte_inner_product(const Layer& layer) {
  const TensorOp& op = layer.op;
  const auto& param = op.tg_inner_product_param();
  const std::vector<float> matrix = inner_product_matrix(op, layer.blobs()[0]);
  const int64_t outputs = param.num_output();
  const int64_t length = static_cast<int64_t>(matrix.size()) / outputs;
  Extents in = extents(op.input_shape(0));
  const int64_t samples = in.count() / length;
  if (in.c * in.h * in.w != length) in = {samples, length, 1, 1};
  const ChannelIntegers integers = integers_of(
      matrix, biases_of(layer, param.bias_term(), {0, outputs}), outputs, layer.scale_in());
  auto k = std::make_unique<ByteConvolution>();
  k->window = {.kernel_h = static_cast<int>(in.h), .kernel_w = static_cast<int>(in.w)};
  k->inputs = {layer.input(0)};
  k->inputs[0].e = in;
  k->output = layer.output();
  k->output.e = {samples, outputs, 1, 1};
  k->weights.push_back(packed_bytes(integers.weights, outputs, in.c, in.h * in.w));
  k->weights.push_back(channel_words(integers, layer));
  k->do_relu = param.do_activation();
  return one(std::move(k));
}

Kernels lower_byte_scale(const Layer& layer) {
  const std::vector<Blob>& blobs = layer.blobs();
  auto k = std::make_unique<ByteDepthwise>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  const int64_t channels = k->output.e.c;
  if (static_cast<int64_t>(blobs[0].data.size()) != channels)
    return unsupported(layer.op, "factors", std::to_string(blobs[0].data.size()),
                       "one factor per channel can be compiled");
  const bool has_bias = layer.op.tg_scale_param().bias_term();
  const ChannelIntegers integers = integers_of(
      blobs[0].data, biases_of(layer, has_bias, {0, channels}), channels, layer.scale_in());
  k->weights.push_back(
      {.bytes = byte_weights(integers.weights), .e = {1, channels, 1, 1}, .type = DType::i8});
  k->weights.push_back(channel_words(integers, layer));
  k->weights.push_back(bias_words(integers));
  k->do_relu = layer.op.tg_scale_param().do_activation();
  return one(std::move(k));
}

Kernels lower_byte_upsample(const Layer& layer) {
  const auto& sizes = layer.op.tg_upsample_param().size();
  auto k = std::make_unique<ByteUpsample>();
  k->window =
      upsample_window(static_cast<int>(sizes[0]), static_cast<int>(sizes[sizes.size() - 1]));
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  TW_RETURN_IF_ERROR(fit_window(layer.op, k->window, k->inputs[0].e, k->output.e));
  const Extents ones{1, k->output.e.c, k->window.kernel_h, k->window.kernel_w};
  k->weights.push_back({.bytes = std::vector<uint8_t>(static_cast<size_t>(ones.count()), 1),
                        .e = ones,
                        .type = DType::i8});
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x

// Convolutions and inner products of bytes, with a scale per output channel.
//
// acc = sum of x * w + bias in 32 bits, w = weight / s(c), bias / (scale_in * s(c)).
// y = saturate(acc * (scale_in * s(c) / scale_out)), or float(acc) * (scale_in * s(c)).
#include "bmnet/targets/bm1684x/bytes/convolution.h"

#include <fmt/format.h>

#include <cmath>

#include "bmnet/targets/bm1684x/bytes/scaling.h"
#include "bmnet/targets/bm1684x/products/channel_blocks.h"

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

// Rounded weights shift the mean of a channel. The bias takes the shift back.
double mean_error(std::span<const float> real, std::span<const float> integers, double unit,
                  std::span<const float> means) {
  double error = 0;
  for (size_t i = 0; i < real.size(); ++i)
    error += (double{integers[i]} * unit - double{real[i]}) *
             double{means[i / (real.size() / means.size())]};
  return error;
}

// `means` are those of the inputs; by channel there is one for each channel.
ChannelIntegers integers_of(const ConvolutionPart& part, bool by_channel, double scale_in) {
  const std::span<const float> weights = part.kernel, biases = part.biases;
  const int64_t channels = part.output_channels();
  ChannelIntegers result;
  result.weights.resize(weights.size());
  const size_t run = weights.size() / static_cast<size_t>(channels);
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    const std::span<const float> own = weights.subspan(c * run, run);
    double largest = 0;
    for (float w : own) largest = std::max(largest, std::fabs(double{w}));
    double bias = biases.empty() ? 0 : double{biases[c]};
    // A channel whose weights are all zero has the units of its bias.
    double unit = std::max(largest / 127, std::fabs(bias) / scale_in / kMostBias);
    if (unit == 0) unit = 1;
    for (size_t i = 0; i < run; ++i)
      result.weights[c * run + i] = static_cast<float>(std::nearbyint(own[i] / unit));
    if (!part.means.empty())
      bias -= mean_error(own, std::span(result.weights).subspan(c * run, run), unit,
                         by_channel ? part.means.subspan(c, 1) : part.means);
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
    if (is_float(layer.type())) {
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

  void finish_floats(StreamProgram& program, const Operands& o, const TensorView& acc,
                     const TensorView& out) const {
    const bool is_wide = out.dtype == DType::f32;
    const TensorView real = is_wide ? out : retyped(acc, DType::f32);
    program.add(Convert{.rounding = Rounding::half_even, .out = real, .in = acc});
    program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                                .out = real,
                                .a = Source::tensor(real),
                                .b = channel_word(o, 0, DType::f32)});
    if (do_relu) emit_relu(program, real);
    if (!is_wide) program.add(Convert{.rounding = Rounding::half_even, .out = out, .in = real});
  }

  // Scales the accumulators.
  void finish(StreamProgram& program, const Operands& o) const {
    const TensorView acc = accumulators(o), out = out_view(o);
    if (is_float(out.dtype)) return finish_floats(program, o, acc, out);
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

// The weights of all blocks.
class ByteBlocks final : public ByteWindow {
 public:
  std::vector<ChannelBlock> blocks;

  void emit(StreamProgram& program, const Operands& o) const override {
    const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
    for (const BlockTile& tile :
         block_tiles(blocks, o, in_view(o), accumulators(o), taps, weights[0].e.h))
      program.add(Conv2dBm1684xInt8{.out = tile.out,
                                    .in = tile.in,
                                    .weight = Source::tensor(tile.weight),
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

Weight bias_words(const ChannelIntegers& integers) {
  return {.bytes = word_bytes(integers.biases),
          .e = {1, static_cast<int64_t>(integers.biases.size()), 1, 1},
          .type = DType::i32};
}

std::unique_ptr<ByteWindow> lower_blocks(const Layer& layer, const ConvolutionParts& all,
                                         const ChannelBlocks& blocks) {
  ChannelIntegers integers;
  std::vector<ChannelIntegers> of_blocks;
  std::vector<ConvolutionPart> parts = blocks.parts(all);
  for (ConvolutionPart& part : parts) {
    of_blocks.push_back(integers_of(part, false, layer.scale_in()));
    const ChannelIntegers& own = of_blocks.back();
    part.kernel = own.weights;
    integers.biases.insert(integers.biases.end(), own.biases.begin(), own.biases.end());
    integers.scales.insert(integers.scales.end(), own.scales.begin(), own.scales.end());
  }
  const PackedKernel packed = packed_blocks(parts, all.taps(), DType::i8);
  auto k = std::make_unique<ByteBlocks>();
  k->weights = {{.bytes = byte_weights(packed.values), .e = packed.e, .type = DType::i8},
                channel_words(integers, layer)};
  k->blocks = blocks.blocks;
  all.set(*k, {.input = all.input, .output = all.output, .kernel = {}, .biases = {}, .means = {}});
  return k;
}

}  // namespace

std::unique_ptr<StreamKernel> byte_convolution(const Layer& layer, const ConvolutionParts& all,
                                               const ConvolutionPart& part) {
  const ChannelIntegers integers = integers_of(part, all.by_channel, layer.scale_in());
  std::unique_ptr<ByteWindow> k;
  if (all.by_channel) {
    k = std::make_unique<ByteDepthwise>();
    k->weights = {{.bytes = byte_weights(integers.weights),
                   .e = {1, part.output_channels(), all.window.kernel_h, all.window.kernel_w},
                   .type = DType::i8},
                  channel_words(integers, layer),
                  bias_words(integers)};
  } else {
    k = std::make_unique<ByteConvolution>();
    ConvolutionPart rounded = part;
    rounded.kernel = integers.weights;
    const PackedKernel packed = packed_kernel(rounded, all.taps(), DType::i8);
    k->weights = {{.bytes = byte_weights(packed.values), .e = packed.e, .type = DType::i8},
                  channel_words(integers, layer)};
  }
  all.set(*k, part);
  return k;
}

Kernels lower_byte_convolution(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(all, convolution_parts(layer));
  if (const ChannelBlocks blocks = channel_blocks(all); !blocks.blocks.empty())
    return one(lower_blocks(layer, all, blocks));
  std::vector<KernelPtr> kernels;
  for (const ConvolutionPart& part : all.parts)
    kernels.push_back(byte_convolution(layer, all, part));
  return kernels;
}

Kernels lower_byte_inner_product(const Layer& layer) {
  const ConvolutionParts all = inner_product_parts(layer);
  const ConvolutionPart& part = all.parts[0];
  if (part.output.e.n > kFewRows && has_byte_rows(part)) return byte_rows_product(layer, all);
  return one(byte_convolution(layer, all, part));
}

Kernels lower_byte_scale(const Layer& layer) {
  const std::vector<Blob>& blobs = layer.blobs();
  auto k = std::make_unique<ByteDepthwise>();
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  const int64_t channels = k->output.e.c;
  if (static_cast<int64_t>(blobs[0].data.size()) != channels)
    return unsupported(
        layer.op, "factors", std::to_string(blobs[0].data.size()),
        fmt::format("each of the {} channels needs one: write them all in the net", channels));
  const bool has_bias = layer.op.tg_scale_param().bias_term();
  const ConvolutionPart part{
      .input = k->inputs[0],
      .output = k->output,
      .kernel = blobs[0].data,
      .biases = has_bias ? std::span<const float>(blobs[1].data) : std::span<const float>(),
      .means = {}};
  const ChannelIntegers integers = integers_of(part, true, layer.scale_in());
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

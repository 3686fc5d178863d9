// Convolutions: over all input channels, by channel, and inner products as convolutions whose
// window is the whole input.
#include <fmt/format.h>

#include "bmnet/targets/bm1684x/products/block_depthwise.h"
#include "bmnet/targets/bm1684x/products/channel_blocks.h"
#include "bmnet/targets/bm1684x/products/products.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

class Convolution final : public WindowKernel {
 public:
  bool can_split_channels() const override { return true; }

  void emit(StreamProgram& program, const Operands& o) const override {
    Extents w = weights[0].e;
    w.c = o.output.e.c;
    Conv2dBm1684xFloat op{
        .out = out_view(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, w, inputs[0].type)),
        .window = window_of_tile(o)};
    if (weights.size() > 1) op.bias = compact(o.weights[1].address, {1, w.c, 1, 1}, DType::f32);
    program.add(op);
    if (do_relu) emit_relu(program, out_view(o));
  }
};

// Weights: those of all blocks, then the biases, if there are any.
class BlockConvolution final : public WindowKernel {
 public:
  std::vector<ChannelBlock> blocks;

  void emit(StreamProgram& program, const Operands& o) const override {
    const int64_t taps = int64_t{window.kernel_h} * window.kernel_w;
    for (const BlockTile& tile :
         block_tiles(blocks, o, in_view(o), out_view(o), taps, weights[0].e.h)) {
      Conv2dBm1684xFloat op{.out = tile.out,
                            .in = tile.in,
                            .weight = Source::tensor(tile.weight),
                            .window = window_of_tile(o)};
      if (weights.size() > 1)
        op.bias = compact(o.weights[1].address + static_cast<uint32_t>(tile.block * kBiasBytes),
                          {1, tile.out.shape.c, 1, 1}, DType::f32);
      program.add(op);
    }
    if (do_relu) emit_relu(program, out_view(o));
  }

 private:
  static constexpr int64_t kBiasBytes = 4;
};

class Depthwise final : public WindowKernel {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    const DType type = weights[0].type;
    Depthwise2dBm1684xFloat op{
        .out = out_view(o),
        .in = in_view(o),
        .weight = Source::tensor(compact(o.weights[0].address, weights[0].e, type)),
        .window = window_of_tile(o)};
    if (weights.size() > 1) op.bias = compact(o.weights[1].address, weights[1].e, type);
    program.add(op);
    if (do_relu) emit_relu(program, op.out);
  }
};

std::unique_ptr<WindowKernel> lower_part(const ConvolutionParts& all, const ConvolutionPart& part) {
  const DType type = part.input.type;
  std::unique_ptr<WindowKernel> k;
  if (!all.by_channel) {
    k = std::make_unique<Convolution>();
    const PackedKernel packed = packed_kernel(part, all.taps(), type);
    k->weights.push_back({.bytes = bytes_of(packed.values, type), .e = packed.e, .type = type});
  } else {
    if (type == DType::f32)
      k = std::make_unique<Depthwise>();
    else
      k = std::make_unique<BlockDepthwise>();
    k->weights.push_back(
        {.bytes = bytes_of(part.kernel, type),
         .e = {1, part.output_channels(), all.window.kernel_h, all.window.kernel_w},
         .type = type});
    if (type != DType::f32) k->weights.push_back(BlockDepthwise::identity(type));
  }
  if (!part.biases.empty()) k->weights.push_back(channel_weight(part.biases, DType::f32));
  all.set(*k, part);
  return k;
}

std::unique_ptr<WindowKernel> lower_blocks(const ConvolutionParts& all,
                                           const ChannelBlocks& blocks) {
  auto k = std::make_unique<BlockConvolution>();
  const DType type = all.input.type;
  const PackedKernel packed = packed_blocks(blocks.parts(all), all.taps(), type);
  k->weights.push_back({.bytes = bytes_of(packed.values, type), .e = packed.e, .type = type});
  if (!all.biases.empty()) k->weights.push_back(channel_weight(all.biases, DType::f32));
  k->blocks = blocks.blocks;
  all.set(*k, {.input = all.input, .output = all.output, .kernel = {}, .biases = {}, .means = {}});
  return k;
}

}  // namespace

Kernels lower_convolution(const Layer& layer) {
  TW_ASSIGN_OR_RETURN(all, convolution_parts(layer));
  if (const ChannelBlocks blocks = channel_blocks(all); !blocks.blocks.empty())
    return one(lower_blocks(all, blocks));
  std::vector<KernelPtr> kernels;
  for (const ConvolutionPart& part : all.parts) kernels.push_back(lower_part(all, part));
  return kernels;
}

Kernels lower_inner_product(const Layer& layer) {
  const ConvolutionParts all = inner_product_parts(layer);
  if (all.parts[0].output.e.n > kFewRows || packed_matrix(layer)) return lower_rows_product(layer);
  return one(lower_part(all, all.parts[0]));
}

// A factor and a summand per channel.
Kernels lower_scale(const Layer& layer) {
  auto k = std::make_unique<Depthwise>();
  k->inputs = {narrowed(layer.input(0))};
  k->output = narrowed(layer.output());
  const std::vector<Blob>& blobs = layer.blobs();
  const DType type = layer.type();
  if (static_cast<int64_t>(blobs[0].data.size()) != k->output.e.c)
    return unsupported(
        layer.op, "factors", std::to_string(blobs[0].data.size()),
        fmt::format("each of the {} channels needs one: write them all in the net", k->output.e.c));
  k->weights.push_back(channel_weight(blobs[0].data, type));
  if (layer.op.tg_scale_param().bias_term())
    k->weights.push_back(channel_weight(blobs[1].data, type));
  k->do_relu = layer.op.tg_scale_param().do_activation();
  return one(std::move(k));
}

// Repeats rows and columns: a convolution by channel with a window of ones over inserted zeros.
Kernels lower_upsample(const Layer& layer) {
  const auto& sizes = layer.op.tg_upsample_param().size();
  const int h = static_cast<int>(sizes[0]), w = static_cast<int>(sizes[sizes.size() - 1]);
  auto k = std::make_unique<Depthwise>();
  k->window = upsample_window(h, w);
  k->inputs = {layer.input(0)};
  k->output = layer.output();
  TW_RETURN_IF_ERROR(fit_window(layer.op, k->window, k->inputs[0].e, k->output.e));
  const std::vector<float> ones(static_cast<size_t>(k->output.e.c * h * w), 1.0f);
  k->weights.push_back(
      {.bytes = bytes_of(ones, layer.type()), .e = {1, k->output.e.c, h, w}, .type = layer.type()});
  return one(std::move(k));
}

}  // namespace tputwin::net::bm1684x

// Blocks of channels of convolutions with groups.
#include "bmnet/targets/bm1684x/products/channel_blocks.h"

#include "ops/conv/weights_bm1684x.h"

namespace tputwin::net::bm1684x {
namespace {

// Cycles that a command of its own costs a group: transfers of its weights and channels, and waits.
// Predicted times of convolutions with 8 to 64 groups of small maps differ by as much.
constexpr int64_t kCyclesOfGroup = 2000;
// Bytes of a lane that the weights of all blocks, and one row of the maps, may have. More would
// leave too little for tiles.
constexpr int64_t kMostBytes = 64 << 10;

int64_t cycles_of(int64_t positions, int64_t taps, int64_t inputs, DType type) {
  return positions * taps * ceil_div(inputs, int64_t{channels_a_cycle(type)});
}

// Returns the input channels of the groups that have these output channels, from a first lane on.
Span inputs_of(Span outputs, const ConvolutionPart& group) {
  const int64_t ic = group.input_channels(), oc = group.output_channels(), lanes = chip().lanes;
  return {outputs.begin / oc * ic / lanes * lanes, ceil_div(outputs.end, oc) * ic};
}

std::vector<ChannelBlock> blocks_of(const ConvolutionPart& group, int64_t channels) {
  std::vector<ChannelBlock> blocks;
  for (int64_t first = 0; first < channels; first += chip().lanes) {
    const Span outputs{first, std::min<int64_t>(first + chip().lanes, channels)};
    blocks.push_back({.inputs = inputs_of(outputs, group), .outputs = outputs});
  }
  return blocks;
}

int64_t rows_of(int64_t inputs, int64_t taps, DType type) {
  return ceil_div(inputs, int64_t{target().weight_group(type)}) * taps;
}

bool fit(const std::vector<ChannelBlock>& blocks, const ConvolutionParts& all) {
  const DType type = all.input.type;
  int64_t bytes = 0;
  for (const ChannelBlock& block : blocks)
    bytes += rows_of(block.inputs.count(), all.taps(), type) * target().weight_group(type) *
             element_bytes(type);
  const auto row = [](const View& map) {
    return ceil_div(map.e.c, int64_t{chip().lanes}) * map.e.w * element_bytes(map.type);
  };
  return bytes + row(all.input) + row(all.output) <= kMostBytes;
}

bool are_faster(const std::vector<ChannelBlock>& blocks, const ConvolutionParts& all) {
  const ConvolutionPart& group = all.parts.front();
  const int64_t positions = all.output.e.h * all.output.e.w;
  int64_t in_blocks = 0;
  for (const ChannelBlock& block : blocks)
    in_blocks += cycles_of(positions, all.taps(), block.inputs.count(), group.input.type);
  const int64_t of_group =
      cycles_of(positions, all.taps(), group.input_channels(), group.input.type);
  return in_blocks < static_cast<int64_t>(all.parts.size()) * (of_group + kCyclesOfGroup);
}

size_t size_of(const ChannelBlock& block, int64_t taps) {
  return static_cast<size_t>(block.outputs.count() * block.inputs.count() * taps);
}

// Writes the weights of a block. Weights between channels of different groups stay 0.
void fill(std::span<float> to, const ChannelBlock& block, const ConvolutionParts& all) {
  const ConvolutionPart& first = all.parts.front();
  const int64_t ic = first.input_channels(), oc = first.output_channels(), taps = all.taps();
  for (int64_t c = block.outputs.begin; c < block.outputs.end; ++c) {
    const auto of_channel = all.parts[static_cast<size_t>(c / oc)].kernel.subspan(
        static_cast<size_t>(c % oc * ic * taps), static_cast<size_t>(ic * taps));
    const int64_t row = (c - block.outputs.begin) * block.inputs.count();
    const int64_t at = (row + c / oc * ic - block.inputs.begin) * taps;
    std::ranges::copy(of_channel, to.begin() + at);
  }
}

}  // namespace

std::vector<ConvolutionPart> ChannelBlocks::parts(const ConvolutionParts& all) const {
  const auto part_of = [](std::span<const float> values, Span range) {
    return values.empty() ? values
                          : values.subspan(static_cast<size_t>(range.begin),
                                           static_cast<size_t>(range.count()));
  };
  std::vector<ConvolutionPart> parts;
  std::span<const float> rest = kernel;
  for (const ChannelBlock& block : blocks) {
    const size_t size = size_of(block, all.taps());
    parts.push_back({.input = channels_of(all.input, block.inputs),
                     .output = channels_of(all.output, block.outputs),
                     .kernel = rest.first(size),
                     .biases = part_of(all.biases, block.outputs),
                     .means = part_of(all.means, block.inputs)});
    rest = rest.subspan(size);
  }
  return parts;
}

ChannelBlocks channel_blocks(const ConvolutionParts& all) {
  const DType type = all.input.type;
  if (all.by_channel || all.parts.size() < 2 || type == DType::f32) return {};
  std::vector<ChannelBlock> blocks = blocks_of(all.parts.front(), all.output.e.c);
  if (!fit(blocks, all) || !are_faster(blocks, all)) return {};
  ChannelBlocks result{.blocks = std::move(blocks), .kernel = {}};
  size_t total = 0;
  for (const ChannelBlock& block : result.blocks) total += size_of(block, all.taps());
  result.kernel.resize(total);
  std::span<float> rest = result.kernel;
  for (const ChannelBlock& block : result.blocks) {
    const size_t size = size_of(block, all.taps());
    fill(rest.first(size), block, all);
    rest = rest.subspan(size);
  }
  return result;
}

PackedKernel packed_blocks(const std::vector<ConvolutionPart>& parts, int64_t taps, DType type) {
  const int64_t group = target().weight_group(type);
  int64_t rows = 0, channels = 0;
  for (const ConvolutionPart& part : parts) {
    rows = std::max(rows, rows_of(part.input_channels(), taps, type));
    channels += part.output_channels();
  }
  PackedKernel all{.values = {}, .e = {1, channels, rows, group}};
  for (const ConvolutionPart& part : parts) {
    const PackedKernel own = packed_kernel(part, taps, type);
    const int64_t size = own.e.h * own.e.w;
    for (auto from = own.values.begin(); from != own.values.end(); from += size) {
      all.values.insert(all.values.end(), from, from + size);
      all.values.resize(all.values.size() + static_cast<size_t>(rows * group - size));
    }
  }
  return all;
}

std::vector<BlockTile> block_tiles(const std::vector<ChannelBlock>& blocks, const Operands& o,
                                   const TensorView& in, const TensorView& out, int64_t taps,
                                   int64_t rows) {
  const int64_t lanes = chip().lanes, group = target().weight_group(in.dtype);
  const auto part = [&](const TensorView& all, Extents e, int64_t sample, Span channels) {
    e.n = 1;
    e.c = channels.count();
    const auto offset = static_cast<uint64_t>(sample) * all.stride.n +
                        static_cast<uint64_t>(channels.begin / lanes) * all.stride.c;
    return aligned(static_cast<uint32_t>(all.address + offset), e, all.dtype);
  };
  const DType weight_type = element_bytes(in.dtype) == 1 ? DType::i8 : in.dtype;
  std::vector<BlockTile> tiles;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const auto offset = static_cast<int64_t>(b) * rows * group * element_bytes(in.dtype);
    const Extents e{1, blocks[b].outputs.count(), rows_of(blocks[b].inputs.count(), taps, in.dtype),
                    group};
    const TensorView weight =
        compact(o.weights[0].address + static_cast<uint32_t>(offset), e, weight_type);
    for (int64_t n = 0; n < o.output.e.n; ++n)
      tiles.push_back({.in = part(in, o.inputs[0].e, n, blocks[b].inputs),
                       .out = part(out, o.output.e, n, blocks[b].outputs),
                       .weight = weight,
                       .block = static_cast<int64_t>(b)});
  }
  return tiles;
}

}  // namespace tputwin::net::bm1684x

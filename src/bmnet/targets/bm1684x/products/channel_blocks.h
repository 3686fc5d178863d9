// Convolutions of many small groups: commands over blocks of as many output channels as there are
// lanes.
//
// A command for each group uses as many lanes as the group has output channels. A block of several
// groups uses all lanes. Its weights are 0 between channels of different groups.
#pragma once

#include "bmnet/targets/bm1684x/products/convolution_parts.h"

namespace tputwin::net::bm1684x {

struct ChannelBlock {
  Span inputs, outputs;  // both begin at the first lane
};

// A convolution whose parts are groups, as blocks.
struct ChannelBlocks {
  std::vector<ChannelBlock> blocks;
  std::vector<float> kernel;  // (outputs, inputs, KH, KW) of each block

  // Returns the blocks as parts, which have the weights of one command each.
  std::vector<ConvolutionPart> parts(const ConvolutionParts& all) const;
};

// Returns no blocks if the groups are large, or if a command for each is faster. Sums of fp32 have
// no blocks, because an infinite input times a weight of 0 is NaN.
ChannelBlocks channel_blocks(const ConvolutionParts& all);

// Returns the weights of all blocks, whose rows each output channel has in its lane. Parts of fewer
// input channels leave the last rows free.
PackedKernel packed_blocks(const std::vector<ConvolutionPart>& parts, int64_t taps, DType type);

// The command of a block for one sample.
struct BlockTile {
  TensorView in, out, weight;
  int64_t block = 0;
};
// `out` has the aligned layout. `rows` counts the rows of the weights of an output channel.
std::vector<BlockTile> block_tiles(const std::vector<ChannelBlock>& blocks, const Operands& o,
                                   const TensorView& in, const TensorView& out, int64_t taps,
                                   int64_t rows);

}  // namespace tputwin::net::bm1684x

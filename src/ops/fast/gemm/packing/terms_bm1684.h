// The terms of the BM1684's fp32 convolutions, and their weights.
#pragma once

#include <memory>
#include <vector>

#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {

// The terms of every result: taps and input channels, chain by chain in the order of additions.
struct ConvTerms {
  struct Term {
    uint32_t channel, kh, kw;
  };
  explicit ConvTerms(const Conv2dBm1684& op);
  // Returns the terms of `op`. Each thread keeps the last ones it made, because consecutive
  // convolutions often differ in their addresses only.
  static std::shared_ptr<const ConvTerms> of(const Conv2dBm1684& op);

  // Packs all weights in panels of `width` output channels. The last panel may have fewer.
  void pack_weights(const Conv2dBm1684& op, const Memory& memory, uint32_t width,
                    float* factors) const;
  // Packs the panel of the channels from `slot` on, and those of the same lanes that follow it,
  // each `panel_cells` after the one before. `width` must divide the number of lanes.
  void pack_panels(const Conv2dBm1684& op, const Memory& memory, uint32_t width, uint32_t slot,
                   uint64_t panel_cells, float* factors) const;

  std::vector<Term> terms;
  Chains chains;  // without the offsets of factors
  // offset of each term from the first weight of an output channel
  std::vector<uint32_t> weight_bytes;
  // the terms in the order of a channel's weights in memory
  std::vector<uint32_t> by_weight;
};

}  // namespace tputwin::fast

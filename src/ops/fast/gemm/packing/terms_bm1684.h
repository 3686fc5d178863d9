// The terms of the BM1684's fp32 convolutions, and their weights.
#pragma once

#include <memory>
#include <vector>

#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {

// Lists the terms of a result, which are pairs of a tap and an input channel. They are ordered
// chain by chain, and in each chain by the order of additions.
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
  Chains chains;  // right_offset is not set
  // `weight_bytes[t]` is the distance in bytes of the weight of term t from the first weight of its
  // output channel.
  std::vector<uint32_t> weight_bytes;
  // `by_weight[i]` is the term of weight number i of an output channel, in the order of memory.
  std::vector<uint32_t> by_weight;
};

}  // namespace tputwin::fast

// The terms of the BM1684's convolutions of fp32, and their weights.
#pragma once

#include <memory>
#include <vector>

#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/gemm/tiles.h"

namespace tputwin::fast {

// The terms of every result: taps and input channels, chain by chain in the order of additions.
struct ConvTerms {
  struct Term {
    uint32_t channel, kh, kw;
  };
  explicit ConvTerms(const Conv2dBm1684& op);
  // Each thread keeps those it last made: convolutions often differ from the one before by their
  // addresses only.
  static std::shared_ptr<const ConvTerms> of(const Conv2dBm1684& op);

  // All weights, in panels of `width` output channels (the last one may have fewer).
  void pack_weights(const Conv2dBm1684& op, const Memory& memory, uint32_t width,
                    float* factors) const;
  // The same of the panel of the channels from `slot` on, and of those of the same lanes that
  // follow it, each `panel_words` behind the one before. `width` divides the lanes.
  void pack_panels(const Conv2dBm1684& op, const Memory& memory, uint32_t width, uint32_t slot,
                   uint64_t panel_words, float* factors) const;

  std::vector<Term> terms;
  Chains chains;                       // without the places of factors
  std::vector<uint32_t> weight_bytes;  // of each term, from the first weight of an output channel
  std::vector<uint32_t> by_weight;     // the terms as the weights of a channel lie in memory
};

}  // namespace tputwin::fast

// The two ways of the fast fp32 convolution, and what they have in common.
#pragma once

#include <vector>

#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/gemm/panels.h"

namespace tputwin::fast {

// The terms of every result: taps and input channels, chain by chain in the order of additions.
struct ConvTerms {
  struct Term {
    uint32_t channel, kh, kw;
  };
  explicit ConvTerms(const Conv2dBm1684& op);

  std::vector<Term> terms;
  Chains chains;                       // without the places of factors
  std::vector<uint32_t> weight_bytes;  // of each term, from the first weight of an output channel
  std::vector<uint32_t> by_weight;     // the terms as the weights of a channel lie in memory
};

// All weights, in panels of `width` output channels (the last one may have fewer): of panel i,
// factors[i * width * terms + term * pitch + channel], pitch being `width`, or the panel's channels
// if `tight`.
void pack_weights(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms,
                  uint32_t width, bool tight, float* factors);

// Both may decline work whose copies would be too large.
// Columns are places of the output plane, rows are output channels. For images that fill vectors.
Declined conv2d_by_planes(const Conv2dBm1684& op, const Memory& memory);
// Columns are output channels, rows are places of the output planes of all images.
Declined conv2d_by_im2col(const Conv2dBm1684& op, const Memory& memory);

}  // namespace tputwin::fast

// rearrange: copies that permute, repeat or refold dimensions, bit by bit.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// swap_nc:        out(n,c,h,w) = in(c,n,h,w)
// swap_cw:        out(n,c,h,w) = in(n,w,h,c)
// repeat_channel: out(n,c,h,w) = in(n,0,h,w)
// refold:         elements in index order, between any shapes
// other_lanes:    out(n,c,h,w) = in(n,c,h,w), by the tensor engine between any start lanes
struct Rearrange {
  enum class Kind : uint8_t { swap_nc, swap_cw, repeat_channel, refold, other_lanes };
  Kind kind = Kind::swap_nc;
  Engine engine = Engine::dma;
  TensorView out, in;
};

TW_OPERATION(Rearrange);

}  // namespace tputwin

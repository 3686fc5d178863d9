// dma_lrn_shift: shifts a tensor along its channels, filling with zeros.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// right: dst(n,c,h,w) = c >= step ? src(n,c-step,h,w) : 0
// left:  dst(n,c,h,w) = c < C-step ? src(n,c+step,h,w) : 0
struct DmaLrnShift {
  TensorView dst, src;
  bool right = false;
  uint32_t step = 1;
};

TW_OPERATION(DmaLrnShift);
Footprint footprint(const DmaLrnShift&, const Chip&);

}  // namespace tputwin

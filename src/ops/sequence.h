// sequence: arithmetic sequences.
#pragma once

#include "ops/contract.h"

namespace tputwin {

// out(n,c,h,w) = start + step_c * c + step_w * w, modulo 2^32 (16-bit elements: 2^16).
// by_lane: a sum that saturates as a signed number, of start + step_c * (c - l) + step_w * w and
// step_c * l, both modulo 2^32, l = c mod lanes.
struct Sequence {
  TensorView out;
  uint32_t start = 0, step_c = 0, step_w = 0;
  bool by_lane = false;
};

TW_OPERATION(Sequence);

}  // namespace tputwin

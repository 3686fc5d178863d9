// sequence: arithmetic sequences.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out(n,c,h,w) = start + step_c * c + step_w * w, modulo 2^32 (16-bit elements: 2^16).
// by_lane: the terms are start + step_w * w, step_c * l and step_c * (c - l), each modulo 2^32,
// with l = c mod lanes. The first two are added, then the third; both sums saturate as signed
// numbers.
struct Sequence {
  TensorView out;
  uint32_t start = 0, step_c = 0, step_w = 0;
  bool by_lane = false;
};

TW_OPERATION(Sequence);

}  // namespace tputwin

// Positions of the weights of convolutions over all input channels on the BM1684X.
#pragma once

#include "memory/tensor_view.h"
#include "ops/contract/window.h"

namespace tputwin {

// Weights are stored in groups of input channels. For output channel oc, the weight of input
// channel ic and tap k = kh * KW + kw is element
//   (0, oc, (ic div group) * KH * KW + k, ic mod group)
// of a compact tensor (1, OC, groups * KH * KW, group). bm1684x-machine 3.1.
constexpr uint32_t weight_group(DType dtype) {
  return element_bytes(dtype) == 4 ? 1 : 64 / element_bytes(dtype);
}
// Returns the input channels that a unit multiplies in a cycle: 16 of 8 bits and 8 of 16 bits. 64
// lanes of 16 units at 1 GHz are then the published peaks of 32 TOPS and 16 TFLOPS.
constexpr uint32_t channels_a_cycle(DType dtype) {
  return weight_group(dtype) == 1 ? 1 : weight_group(dtype) / 4;
}
constexpr uint32_t taps_of(const Window& window) { return window.h.kernel * window.w.kernel; }
// Returns the tap whose weight tap (kh, kw) of the window multiplies. Deconvolutions rotate their
// kernel by 180 degrees.
constexpr uint32_t weight_tap(const Window& window, bool is_rotated, uint32_t kh, uint32_t kw) {
  const uint32_t tap = kh * window.w.kernel + kw;
  return is_rotated ? taps_of(window) - 1 - tap : tap;
}
constexpr uint32_t weight_row(uint32_t ic, uint32_t tap, const Window& window, uint32_t group) {
  return ic / group * taps_of(window) + tap;
}
constexpr Shape weight_shape(uint32_t ic, uint32_t oc, const Window& window, DType dtype) {
  const uint32_t group = weight_group(dtype);
  return {1, oc, (ic + group - 1) / group * taps_of(window), group};
}

}  // namespace tputwin

// conv2d_bm1684: 2-D convolution of fp32 over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// fp32: sum over kh, kw, ic of in * weight, added as ChannelPairSum does, taps in the padding being
// 0 * weight, as inserted zeros are; then + bias(oc); then + old out. Results that are fewer than
// the window's: place_in_window().
struct Conv2dBm1684 {
  TensorView out, in;
  TensorView weight;               // (IC,OC,KH,KW), two input channels to a cell
  std::optional<TensorView> bias;  // (1,OC,1,1)
  Window window;
  bool is_turned = false;  // the kernel by 180 degrees
  bool accumulate = false;
  // All weights are this number, by its bits; `weight` has but their shape.
  std::optional<uint32_t> constant_weight = {};
};

TW_OPERATION(Conv2dBm1684);
// One result, which execute() stores.
float result_at(const Conv2dBm1684&, const Memory&, uint32_t n, uint32_t oc, uint32_t y,
                uint32_t x);

}  // namespace tputwin

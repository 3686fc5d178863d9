// conv2d_bm1684_int8: 2-D convolution of packed bytes over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// out = sat(round_shift(sum over ic, kh, kw of in * weight, + bias(oc); rshift)), exact; what the
// window reaches outside the input is 0. An unsigned result of signed operands is that of ReLU.
// Results that are fewer than the window's: place_in_window().
struct Conv2dBm1684Int8 {
  TensorView out;                  // four images to a cell, of 8 or 16 bits
  TensorView in;                   // 4N
  TensorView weight;               // (IC,OC,KH,KW), four input channels to a cell
  std::optional<TensorView> bias;  // (1,OC,1,1) of 16 bits
  Window window;
  bool is_turned = false;  // the kernel by 180 degrees
  uint32_t rshift = 0;
  // All weights are this number of their type; `weight` has but that and their shape.
  std::optional<int32_t> constant_weight = {};
};

TW_OPERATION(Conv2dBm1684Int8);

}  // namespace tputwin

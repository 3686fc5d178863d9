// conv2d_bm1684_int8: 2-D convolution of packed bytes over all input channels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// out = sat(round_shift(sum over ic, kh, kw of in * weight, + bias(oc); rshift)), exact. Elements
// outside the input are 0. With signed operands an unsigned result has the effect of ReLU.
// place_in_window() places results that are fewer than the window's.
struct Conv2dBm1684Int8 {
  TensorView out;  // four images to a cell, of 8 or 16 bits
  TensorView in;   // 4N
  // (IC,OC,KH,KW), four input channels to a cell.
  TensorView weight;
  std::optional<TensorView> bias;  // (1,OC,1,1) of 16 bits
  Window window;
  bool is_rotated = false;  // rotates the kernel by 180 degrees
  uint32_t rshift = 0;
  // Number that all weights have; `weight` then only has their type and shape.
  std::optional<int32_t> constant_weight = {};
};

TW_OPERATION(Conv2dBm1684Int8);
constexpr bool places_results(const Conv2dBm1684Int8&) { return true; }

}  // namespace tputwin

// winograd2d_bm1684: 3 x 3 convolution of packed bytes by transformed kernels.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// Each tile of 2 x 2 results uses 4 x 4 inputs d, at a distance of two, 0 outside the input:
//   out = sat(round_shift(A (sum over ic of U * (B d B^T)) A^T + bias(oc); rshift)), exact,
//   B = [1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1], A = [1 1 1 0; 0 1 -1 -1], U(y,x) the weights,
//   U * V element by element
// An unsigned result has the effect of ReLU.
struct Winograd2dBm1684 {
  TensorView out;  // four images to a cell, of 8 or 16 bits
  TensorView in;   // 4N
  // (IC,OC,4,4), four input channels to a cell.
  TensorView weight;
  std::optional<TensorView> bias;  // (1,OC,1,1) of 16 bits
  Window window;                   // 3 x 3, stride 1, with padding
  uint32_t rshift = 0;
};

TW_OPERATION(Winograd2dBm1684);

}  // namespace tputwin

// winograd2d: 3x3 convolution in the Winograd domain F(2x2,3x3), as the chip computes it.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// For every 2x2 output tile with its 4x4 input tile d:
//   out tile = A^T [ sum over ic of U(ic,oc) .* (B^T d B) ] A, then bias, relu, shift, saturate
// as in Conv2dBm1880. U is the kernel transformed by DmaWinogradKernel. Exact in 32 bits, but not
// equal to a direct convolution because U is rounded.
struct Winograd2d {
  TensorView out, in;
  // (IC,OC,4,4), default unaligned strides, signed.
  TensorView weight;
  std::optional<TensorView> bias;  // 16-bit (1,OC,1,1)
  Window window;                   // 3x3, stride 1; only the paddings vary
  bool relu = false;
  uint32_t rshift = 0;
};

TW_OPERATION(Winograd2d);

}  // namespace tputwin

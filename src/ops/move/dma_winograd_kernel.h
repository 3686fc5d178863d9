// dma_winograd_kernel: loads 3x3 kernels, transformed for winograd2d.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// g = src(0,oc,ic,0..8) as 3x3, x = G2 g G2^T, G2 = [2 0 0; 1 1 1; 1 -1 1; 0 0 2]
// dst(0,oc,ic,0..15) = saturate_i8(round_shift(round_shift(x, 2) * (scale + 1), 3))
struct DmaWinogradKernel {
  TensorView dst;  // local (1,OC,IC,16)
  // Global (1,OC,IC,9), always read as signed.
  TensorView src;
  uint32_t scale = 0;
};

TW_OPERATION(DmaWinogradKernel);

}  // namespace tputwin

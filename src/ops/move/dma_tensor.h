// dma_tensor: moves a tensor between or inside memories.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// Equal shapes: dst(n,c,h,w) = src(n,c,h,w). Different shapes of equal count: elements are read and
// written in index order. transpose_nc: dst(n,c,h,w) = src(c,n,h,w).
struct DmaTensor {
  TensorView dst, src;
  bool transpose_nc = false;
  // Form of the strides in the descriptor; no effect on the result.
  bool explicit_strides = false;
};

TW_OPERATION(DmaTensor);

}  // namespace tputwin

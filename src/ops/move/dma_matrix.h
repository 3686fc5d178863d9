// dma_matrix: moves a matrix between or inside memories.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// dst(r,c) = src(r,c), or src(c,r) with transpose. Different shapes of equal count (global to
// global only) are copied in index order. Padding columns of local matrices are neither read nor
// written.
struct DmaMatrix {
  MatrixView dst, src;
  bool transpose = false;
  // Form of the strides in the descriptor; no effect on the result.
  bool explicit_strides = false;
};

TW_OPERATION(DmaMatrix);
Footprint footprint(const DmaMatrix&, const Chip&);

}  // namespace tputwin

// copy: moves or fills elements of 8, 16 or 32 bits, bit by bit.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// dst(n,c,h,w) = src(n,c,h,w), by DMA between any memories or by the tensor engine inside lanes.
// The tensor engine reads the whole source before it writes.
struct Copy {
  Engine engine = Engine::dma;
  TensorView dst;
  Source src;
  // True for a DMA command of one consecutive row, which reads the whole source before it writes.
  // Other DMA commands read and write element by element.
  bool reads_first = false;
};

// dst(r,c) = src(r,c) between a matrix in lanes and rows in system memory. Padding columns of the
// last channel are neither read nor written.
struct CopyMatrix {
  MatrixView dst, src;
};

TW_OPERATION(Copy);
TW_OPERATION(CopyMatrix);
Footprint footprint(const CopyMatrix&, const Chip&);

}  // namespace tputwin

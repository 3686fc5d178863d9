// mask_select: elements, or their positions, where a mask is not zero.
#pragma once

#include <memory>
#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// elements:  out(0,0,0,k) = the k-th element of in whose element of mask is not 0, in index order.
// positions: out(0,0,0,k) = base + the number, in index order, of the k-th element of in that is
// not
//            0 (mask is in).
// rows:      out(n,c,0,k) = the k-th element of row in(n,c,0,.) where mask(n,c,0,.) is not 0, and
//            count(n,c,0,0) = how many they are. One batch of in serves all n.
// row_positions: as rows, out(n,c,0,k) the position in its row of the k-th element of in that is
// not
//            0 (no mask).
// lines:     out(n,c,k,w) = in(n,c,h,w), h the k-th row whose mask(n,c,h,0) is not 0, and
//            count(n,c,0,0) = how many they are.
// What is behind the last element chosen keeps its old value.
struct MaskSelect {
  enum class Kind : uint8_t { elements, positions, rows, row_positions, lines };
  Kind kind = Kind::elements;
  Engine engine = Engine::dma;
  TensorView out, in, mask;
  std::optional<TensorView> count;   // of rows, row_positions and lines
  uint32_t base = 0;                 // of positions
  std::shared_ptr<uint32_t> chosen;  // receives how many elements were written, if somebody asks
};

TW_OPERATION(MaskSelect);

}  // namespace tputwin

// mask_select: elements, or their positions, for which a mask is not zero.
#pragma once

#include <memory>
#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// elements:  out(0,0,0,k) = the k-th element of in whose element of mask is not 0, in index order.
// positions: out(0,0,0,k) = base + the number, in index order, of the k-th element of in that is
//            not 0 (mask is in).
// rows:      out(n,c,0,k) = the k-th element of row in(n,c,0,.) for which mask(n,c,0,.) is not 0.
//            count(n,c,0,0) = the number of these. An in of one batch is used for all n.
// row_positions: as rows, but out(n,c,0,k) is the position in its row of the k-th element of in
//            that is not 0 (no mask).
// lines:     out(n,c,k,w) = in(n,c,h,w), h the k-th row whose mask(n,c,h,0) is not 0.
//            count(n,c,0,0) = the number of these.
// Elements of out after the last chosen one keep their old values.
struct MaskSelect {
  enum class Kind : uint8_t { elements, positions, rows, row_positions, lines };
  Kind kind = Kind::elements;
  Engine engine = Engine::dma;
  TensorView out, in, mask;
  std::optional<TensorView> count;  // used by rows, row_positions and lines
  uint32_t base = 0;                // used by positions
  // Receives the number of elements written, unless nullptr.
  std::shared_ptr<uint32_t> chosen;
};

TW_OPERATION(MaskSelect);

}  // namespace tputwin

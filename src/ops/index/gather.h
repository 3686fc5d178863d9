// gather: elements and rows picked by index.
#pragma once

#include "ops/contract/contract.h"
#include "ops/index/index_fault.h"
#include "ops/index/indexing.h"

namespace tputwin {

// out(n,c,h,w) = param(n,c,y,x), where (y,x) is the position that index gives for (n,c,h,w), see
// indexing.h. A param of one batch is used for all n. Row 0 of param has index first_row. An index
// is outside if param has no element there, or if its row is after last_row.
struct Gather {
  enum class Outside : uint8_t {
    // Nothing is written at all; the index is stored in `fault`.
    fault,
    skip,  // the element of out keeps its old value
    fill   // the element of out becomes `fill`
  };
  IndexedBy by = IndexedBy::w;
  Outside outside = Outside::fault;
  Engine engine = Engine::compute;
  TensorView out, param, index;
  uint32_t fill = 0;  // bits of the value
  uint32_t first_row = 0, last_row = UINT32_MAX;
  IndexFaultPtr fault;
};

TW_OPERATION(Gather);

}  // namespace tputwin

// scatter: elements and rows stored at the positions that an index gives.
#pragma once

#include "ops/contract/contract.h"
#include "ops/index/index_fault.h"
#include "ops/index/indexing.h"

namespace tputwin {

// out(n,c,y,x) = param(n,c,h,w), where (y,x) is the position that index gives for (n,c,h,w), see
// indexing.h. If several elements have one position, the last one stays. A param of one batch is
// used for all n. With leaves_out, elements with a position outside out are skipped. Without it,
// such an element makes the operation write nothing at all and store the index in `fault`.
struct Scatter {
  IndexedBy by = IndexedBy::w;
  bool leaves_out = false;  // skips elements outside out
  Engine engine = Engine::compute;
  TensorView out, param, index;
  IndexFaultPtr fault;
};

TW_OPERATION(Scatter);

}  // namespace tputwin

// scatter: elements and rows put where an index says.
#pragma once

#include "ops/contract/contract.h"
#include "ops/index/index_fault.h"
#include "ops/index/indexing.h"

namespace tputwin {

// out(n,c,y,x) = param(n,c,h,w), (y,x) = the place that index names for (n,c,h,w), see indexing.h;
// of several elements for one place the last stays. One batch of param serves all n. Elements with
// a place outside out are left out, or nothing is written at all, and the index is noted in
// `fault`.
struct Scatter {
  IndexedBy by = IndexedBy::w;
  bool leaves_out = false;  // what is outside
  Engine engine = Engine::compute;
  TensorView out, param, index;
  IndexFaultPtr fault;
};

TW_OPERATION(Scatter);

}  // namespace tputwin

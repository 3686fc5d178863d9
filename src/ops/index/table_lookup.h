// table_lookup: table lookup by bytes or 16-bit numbers, one table copy per lane.
#pragma once

#include "ops/contract/contract.h"
#include "ops/index/index_fault.h"

namespace tputwin {

// out(n,c,h,w) = table(0, lane of in(n,c,h,w), 0, i), i = in as an unsigned number. Where i is
// outside the table, out is left as it is, and the first such i is noted.
struct TableLookup {
  TensorView out, in;
  TensorView table;  // (1,lanes,1,length)
  IndexFaultPtr fault;
};

TW_OPERATION(TableLookup);

}  // namespace tputwin

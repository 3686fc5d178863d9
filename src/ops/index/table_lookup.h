// table_lookup: table lookup by bytes or 16-bit numbers, one table copy per lane.
#pragma once

#include "ops/contract/contract.h"
#include "ops/index/index_fault.h"

namespace tputwin {

// out(n,c,h,w) = table(0, lane of in(n,c,h,w), 0, i), i = in as an unsigned number. If i is outside
// the table, out is unchanged, and the first such i is stored in `fault`.
struct TableLookup {
  TensorView out, in;
  TensorView table;  // (1,lanes,1,length)
  IndexFaultPtr fault;
};

TW_OPERATION(TableLookup);

}  // namespace tputwin

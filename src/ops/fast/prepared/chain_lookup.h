// Lookups in tables of a lane, as steps of chains.
#pragma once

#include <atomic>

#include "memory/memory.h"
#include "ops/fast/walk/rows.h"
#include "ops/index/table_lookup.h"

namespace tputwin::fast {

// `missed` is set if an index was outside the table. The results are then not valid.
struct ChainLookup {
  const TableLookup& op;
  const Memory& memory;
  std::atomic<bool>* missed;
};

// The kernel of a ChainLookup, by lane: a result and its indices.
void lookup_rows(const void* lookup, const RowBlock& block);

}  // namespace tputwin::fast

// masked_lanes: an operation that changes only some lanes.
#pragma once

#include <memory>

#include "ops/contract/contract.h"

namespace tputwin {

struct Operation;

// Executes `operation`, but keeps lane i, counted from the first lane of the chip, unless bit i of
// `lanes` is set. Nothing else differs from `operation`.
struct MaskedLanes {
  MaskedLanes(const Operation& operation, uint64_t lanes);

  Engine engine = Engine::compute;             // engine of the operation
  std::shared_ptr<const Operation> operation;  // never nullptr
  uint64_t lanes = UINT64_MAX;
};

TW_OPERATION(MaskedLanes);
Footprint footprint(const MaskedLanes&, const Chip&);

}  // namespace tputwin

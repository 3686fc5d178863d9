// masked_lanes: an operation whose results some lanes do not keep.
#pragma once

#include <memory>

#include "ops/contract/contract.h"

namespace tputwin {

struct Operation;

// The operation; what it writes into lane i, counted from the first lane of the chip, stays as it
// was unless bit i of `lanes` is set. Nothing else of it changes.
struct MaskedLanes {
  MaskedLanes(const Operation& operation, uint64_t lanes);

  Engine engine = Engine::compute;             // that of the operation
  std::shared_ptr<const Operation> operation;  // never none
  uint64_t lanes = UINT64_MAX;
};

TW_OPERATION(MaskedLanes);
Footprint footprint(const MaskedLanes&, const Chip&);

}  // namespace tputwin

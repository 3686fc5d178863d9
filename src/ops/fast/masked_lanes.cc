// masked_lanes: the fast kernel of the masked operation.
#include "ops/masked_lanes.h"

#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/fast/fast.h"
#include "ops/kept_lanes.h"
#include "ops/operation.h"

namespace tputwin::fast {

bool execute(const MaskedLanes& op, const Memory& memory) {
  if (is_switched_off(op.operation->index())) return false;
  const KeptLanes kept(op.lanes, memory.local);
  return tputwin::execute_fast(*op.operation, memory);
}

}  // namespace tputwin::fast

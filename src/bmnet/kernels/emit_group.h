// Emits the commands of a planned group.
#pragma once

#include "bmnet/groups/group_schedule.h"
#include "bmnet/kernels/program.h"
#include "bmnet/lowering/positions.h"

namespace tputwin::net {

void emit_group(Program& program, const GroupSchedule& schedule, const TensorPositions& tensors,
                const WeightOffsets& weights);

}  // namespace tputwin::net

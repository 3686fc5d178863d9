// Emits the commands of a planned group.
#pragma once

#include "bmnet/groups/group_plan.h"
#include "bmnet/kernels/places.h"

namespace tputwin::net {

void emit_group(Program& program, const GroupPlan& plan, const TensorPlaces& tensors,
                const WeightPlaces& weights);

}  // namespace tputwin::net

// Weights of the next group are loaded while the group before computes.
#pragma once

#include <vector>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/targets/bm1684x/stream_program.h"

namespace tputwin::net::bm1684x {

// Moves the buffers of every second group to the other end of the lanes, so that neighbours use
// different bytes where both are small enough. Buffers of groups are below `lane_bytes`.
void mirror_groups(std::vector<ProgramPart>& parts, uint32_t lane_bytes);

// Moves loads of weights before earlier transfers, as far as their buffers allow and as long as the
// predicted time falls. Weights are stored below `neurons` in global memory. Returns the
// predicted cycles.
uint64_t prefetch_weights(StreamProgram& program, uint64_t neurons);

}  // namespace tputwin::net::bm1684x

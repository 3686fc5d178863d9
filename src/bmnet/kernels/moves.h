// Layers that only move bytes, as transfers through the lanes.
#pragma once

#include "bmnet/kernels/program.h"
#include "bmnet/lowering/moves.h"

namespace tputwin::net {

// For a tensor of several samples, `positions` has the distance of samples, which is the step of
// the first axis.
void emit_move(Program& program, const Move& move, const TensorPositions& positions,
               const Network& network);

}  // namespace tputwin::net

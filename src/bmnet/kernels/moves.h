// Layers that only move bytes: nested loops over runs of bytes, and their transfers through the
// lanes.
#pragma once

#include <vector>

#include "bmnet/kernels/positions.h"

namespace tputwin::net {

struct Loop {
  int64_t count = 1, source = 0, target = 0;  // steps in bytes
  bool operator==(const Loop&) const = default;
};

// target[...] = source[...] over all loops. Offsets are relative to the start of the tensors.
struct Move {
  std::string from, to;  // tensors
  int64_t source = 0, target = 0;
  // Outermost first. The innermost may be a run of bytes (steps 1, 1).
  std::vector<Loop> loops;
};

// Returns the moves of a layer. Empty for layers that are not movers, and for layers that only
// rename.
std::vector<Move> moves_of(const TensorOp& op);

// For a tensor of several samples, `positions` has the distance of samples, which is the step of
// the first axis.
void emit_move(Program& program, const Move& move, const TensorPositions& positions,
               const Network& network);

}  // namespace tputwin::net

// Layers that only move bytes: nested loops over runs of bytes.
#pragma once

#include <vector>

#include "bmnet/lowering/positions.h"

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

// A move between places of neuron memory. The samples of a tensor inside a concatenation have a
// larger distance.
struct PlacedMove {
  uint64_t source = 0, target = 0;
  std::vector<Loop> loops;  // simplified; the last one is a run of bytes
};
PlacedMove place_move(const Move& move, const TensorPositions& positions, const Network& network);
// Splits a loop in two so that the inner count is at most `limit`. Returns false if there is
// nothing to split or no divisor.
bool split(std::vector<Loop>& loops, size_t index, int64_t limit);

}  // namespace tputwin::net

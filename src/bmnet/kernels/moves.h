// Layers that only move bytes: nested loops over runs of bytes, and their transfers through the
// lanes.
#pragma once

#include <vector>

#include "bmnet/kernels/places.h"

namespace tputwin::net {

struct Loop {
  int64_t count = 1, source = 0, target = 0;  // steps in bytes
  bool operator==(const Loop&) const = default;
};

// target[...] = source[...] over all loops; offsets are relative to the tensors' places.
struct Move {
  std::string from, to;  // tensors
  int64_t source = 0, target = 0;
  std::vector<Loop> loops;  // outermost first; the innermost may be a run of bytes (steps 1, 1)
};

// What the layer moves. Empty for layers that are not movers, and for those that only rename.
std::vector<Move> moves_of(const TensorOp& op);

// The first axis of a tensor of several samples has the distance its place says.
void emit_move(Program& program, const Move& move, const TensorPlaces& places,
               const Network& network);

}  // namespace tputwin::net

// Layers that only move bytes, as transfers between places of global memory.
#pragma once

#include "bmnet/lowering/moves.h"
#include "bmnet/targets/bm1684x/emit_group.h"

namespace tputwin::net::bm1684x {

// `bytes` is the size of an element.
void emit_move(StreamProgram& program, const Move& move, const TensorPositions& positions,
               const Network& network, const Memories& memories, uint32_t bytes);

}  // namespace tputwin::net::bm1684x

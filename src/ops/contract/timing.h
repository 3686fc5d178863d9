// Costs shared by the cost() functions; docs/timing.md derives them.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// Returns the cycles in which the execution units of all lanes produce a result of shape `s`, with
// `bytes` bytes an element.
constexpr uint64_t lane_passes(const Shape& s, const Chip& chip, uint32_t bytes = 1) {
  uint64_t rounds = (uint64_t{s.c} + chip.lanes - 1) / chip.lanes;
  uint64_t steps = (uint64_t{s.h} * s.w * bytes + chip.eu_bytes - 1) / chip.eu_bytes;
  return s.n * rounds * steps;
}

// Returns the cost of a command of the tensor engine: arithmetic, set-up, bank conflicts and bytes
// of its operands.
Cost compute_cost(uint64_t compute_cycles, uint64_t macs, const OperandList& operands,
                  const Chip& chip);

// Returns the cost of a transfer: the slower of its two sides, moved run by run. `unit` limits the
// bytes of a run (transposing splits rows). Fills pass `dst` as `src` too.
Cost transfer_cost(const TensorView& dst, const TensorView& src, uint64_t unit, const Chip& chip);

}  // namespace tputwin

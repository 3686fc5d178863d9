// Costs shared by the cost() functions.
#include "ops/contract/timing.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "ops/contract/runs.h"

namespace tputwin {
namespace {

uint64_t bytes_of(const TensorView& view) { return view.shape.count() * element_bytes(view.dtype); }

// Returns the bytes of the fullest lane.
uint64_t bytes_per_lane(const TensorView& view, const Chip& chip) {
  const Shape& s = view.shape;
  uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return s.n * rounds * s.h * s.w * element_bytes(view.dtype);
}

// Returns one bit per bank between the first and the last byte of a view in its first lane.
uint64_t banks_of(const TensorView& view, const Chip& chip) {
  const Shape& s = view.shape;
  uint64_t first = view.address % chip.lane_bytes;
  uint64_t last = first + (cells(view) - 1) * uint64_t{view.stride.n} +
                  (ceil_div(uint64_t{s.c}, chip.lanes) - 1) * view.stride.c +
                  (s.h - 1) * uint64_t{view.stride.h} + (s.w - 1) * uint64_t{view.stride.w} +
                  (is_run(view) ? run_bytes(view) - 1 : view.plane_stride);
  uint64_t mask = 0;
  for (uint64_t bank = first / chip.bank_bytes(); bank <= last / chip.bank_bytes() && bank < 64;
       ++bank)
    mask |= uint64_t{1} << bank;
  return mask;
}

// Operands that share a bank cannot be accessed in one cycle. Each such pair costs one more pass
// over the smaller operand.
uint64_t conflict_cycles(const OperandList& operands, const Chip& chip) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = i + 1; j < operands.size(); ++j) {
      const TensorView &a = *operands[i].view, &b = *operands[j].view;
      if ((banks_of(a, chip) & banks_of(b, chip)) != 0)
        cycles +=
            ceil_div(std::min(bytes_per_lane(a, chip), bytes_per_lane(b, chip)), chip.eu_bytes);
    }
  return cycles;
}

uint64_t side_cycles(const TensorView& view, uint64_t unit, const Chip& chip) {
  uint64_t run = std::min(run_of(view), unit);
  if (run == 0) return 0;
  auto beats =
      static_cast<uint64_t>(std::ceil(static_cast<double>(run) / chip.dma_bytes_per_cycle));
  return ceil_div(bytes_of(view), run) * beats;
}

}  // namespace

Cost compute_cost(uint64_t compute_cycles, uint64_t macs, const OperandList& operands,
                  const Chip& chip) {
  Cost cost{.compute_cycles = compute_cycles,
            .conflict_cycles = conflict_cycles(operands, chip),
            .setup_cycles = chip.compute_setup_cycles,
            .macs = macs};
  for (const Operand& operand : operands)
    cost.local_bytes += bytes_of(*operand.view) * (operand.access == Access::read_write ? 2 : 1);
  return cost;
}

Cost transfer_cost(const TensorView& dst, const TensorView& src, uint64_t unit, const Chip& chip) {
  Cost cost{.compute_cycles = std::max(side_cycles(dst, unit, chip), side_cycles(src, unit, chip)),
            .setup_cycles = chip.dma_setup_cycles};
  const auto add = [&](const TensorView& view) {
    (view.space == Space::global ? cost.global_bytes : cost.local_bytes) += bytes_of(view);
  };
  add(dst);
  if (&src != &dst) add(src);
  return cost;
}

}  // namespace tputwin

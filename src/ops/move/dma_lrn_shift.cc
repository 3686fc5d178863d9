// dma_lrn_shift: contract, cost and reference kernel.
#include "ops/move/dma_lrn_shift.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

uint32_t moved_channels(const DmaLrnShift& op) {
  return op.step < op.dst.shape.c ? op.dst.shape.c - op.step : 0;
}

// Returns one channel as a view that starts in the lane of that channel.
TensorView channel(TensorView view, uint32_t c, const Chip& chip) {
  uint64_t lane = view.address / chip.lane_bytes + c;
  view.address = lane % chip.lanes * chip.lane_bytes + view.address % chip.lane_bytes +
                 lane / chip.lanes * view.stride.c;
  view.shape.c = 1;
  return view;
}

}  // namespace

std::string_view name(const DmaLrnShift&) { return "gdma_lrn_shift"; }

void attributes(const DmaLrnShift& op, AttributeSink& to) {
  to.word("direction", op.right ? "right" : "left");
  to.number("step", op.step);
}

OperandList operands(const DmaLrnShift& op) {
  return {{"dst", &op.dst, Access::write}, {"src", &op.src, Access::read}};
}

// Channels that are shifted out are not read.
Footprint footprint(const DmaLrnShift& op, const Chip& chip) {
  Footprint f;
  for (uint32_t c = op.right ? 0 : op.step, k = 0; k < moved_channels(op); ++c, ++k)
    add_ranges(channel(op.src, c, chip), chip, f.reads);
  add_ranges(op.dst, chip, f.writes);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const DmaLrnShift& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1880_dma_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(require(operand.view->space == Space::local, errors::ops_dma_space,
                               operand.name, *operand.view));
  }
  TW_RETURN_IF_ERROR(check_shape("dst", op.dst, op.src.shape, errors::ops_lrn_shape));
  return require(op.step - 1 < 15 && op.step < op.src.shape.c, errors::ops_lrn_step, "lrn_step",
                 op.step);
}

Cost cost(const DmaLrnShift& op, const Chip& chip) {
  return transfer_cost(op.dst, op.src, op.src.shape.count(), chip);
}

void execute(const DmaLrnShift& op, const Memory& memory) {
  const uint32_t moved = moved_channels(op);
  for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    bool inside = op.right ? c >= op.step : c < moved;
    uint32_t from = op.right ? c - op.step : c + op.step;
    *memory.byte(op.dst, n, c, h, w) = inside ? *memory.byte(op.src, n, from, h, w) : 0;
  });
}

}  // namespace tputwin

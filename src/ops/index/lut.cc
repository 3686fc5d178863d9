// lut: contract, cost and reference kernel.
#include "ops/index/lut.h"

#include "base/bits.h"
#include "base/errors/ops.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {

std::string_view name(const Lut&) { return "lut"; }

void attributes(const Lut&, AttributeSink&) {}

OperandList operands(const Lut& op) {
  return {{"ofmap", &op.out, Access::write},
          {"ifmap", &op.in, Access::read},
          {"table", &op.table, Access::read}};
}

Status check(const Lut& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1880_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1880_8bit(operand.name, *operand.view));
    TW_RETURN_IF_ERROR(check_bm1880_aligned_strides(operand.name, *operand.view, chip));
  }
  TW_RETURN_IF_ERROR(check_shape("ofmap", op.out, op.in.shape, errors::ops_shape_mismatch));
  TW_RETURN_IF_ERROR(
      check_shape("table", op.table, {1, chip.lanes, 16, 16}, errors::ops_lut_table));
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("table", op.table, chip));
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(advise_bm1880_aligned_start(operand.name, *operand.view, chip));
  return advise_bm1880_start_lane("ifmap", op.in, op.out, chip);
}

// The table of a lane is one memory: one lookup per cycle.
Cost cost(const Lut& op, const Chip& chip) {
  const Shape& s = op.out.shape;
  const uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(s.n * rounds * s.h * s.w, s.count(), operands(op), chip);
}

void execute(const Lut& op, const Memory& memory) {
  const uint64_t start = op.in.address / memory.local.lane_bytes();
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    uint32_t lane = (start + c) % memory.local.lanes();
    uint8_t index = *memory.byte(op.in, n, c, h, w);
    memory.write(op.out, n, c, h, w, memory.read(op.table, 0, lane, index / 16, index % 16));
  });
}

}  // namespace tputwin

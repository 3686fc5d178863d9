// table_lookup: contract, cost and reference kernel.
#include "ops/index/table_lookup.h"
#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

std::string_view name(const TableLookup&) { return "table_lookup"; }

void attributes(const TableLookup&, AttributeSink&) {}

OperandList operands(const TableLookup& op) {
  // Elements outside the table keep their old values.
  return {{"dst_addr", &op.out, Access::read_write},
          {"src_addr", &op.in, Access::read},
          {"table_addr", &op.table, Access::read}};
}

Status check(const TableLookup& op, const Chip& chip) {
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(check_bm1684x_operand(operand.name, *operand.view, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_shape("src_addr", op.in, op.out.shape));
  TW_RETURN_IF_ERROR(check_bm1684x_start("src_addr", op.in, op.out, chip));
  const Shape &s = op.out.shape, &t = op.table.shape;
  TW_RETURN_IF_ERROR(
      require(uint64_t{s.h} * s.w <= chip.limits.extent, errors::tpu_lookup_plane, "shape", s));
  TW_RETURN_IF_ERROR(require(op.in.dtype == DType::u8 || op.in.dtype == DType::u16,
                             errors::tpu_dtype, "src_addr", op.in));
  TW_RETURN_IF_ERROR(require(element_bytes(op.table.dtype) == element_bytes(op.out.dtype),
                             errors::tpu_element, "table_addr", op.table));
  TW_RETURN_IF_ERROR(
      require(t.n == 1 && t.c == chip.lanes && t.h == 1, errors::tpu_extents, "table_addr", t));
  return check_bm1684x_npu_0("table_addr", op.table, chip);
}

// The table of a lane is one memory: one lookup per cycle.
Cost cost(const TableLookup& op, const Chip& chip) {
  const Shape& s = op.out.shape;
  const uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(s.n * rounds * s.h * s.w, s.count(), operands(op), chip);
}

void execute(const TableLookup& op, const Memory& memory) {
  const uint64_t start = op.in.address / memory.local.lane_bytes();
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const uint32_t lane = (start + c) % memory.local.lanes();
    const auto index = static_cast<uint32_t>(memory.read(op.in, n, c, h, w));
    if (index < op.table.shape.w)
      memory.write(op.out, n, c, h, w, memory.read(op.table, 0, lane, 0, index));
    else
      note(op.fault, index);
  });
}

}  // namespace tputwin

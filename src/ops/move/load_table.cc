// load_table: contract, cost and reference kernel.
#include "ops/move/load_table.h"

#include "base/errors/tpukernel.h"
#include "numerics/constant_tables.h"
#include "numerics/float16.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

std::string_view name(const LoadTable&) { return "load_table"; }

namespace {

// Returns the bytes of an element in static memory.
uint32_t stored_bytes(const LoadTable& op) { return op.rounded ? 4 : element_bytes(op.out.dtype); }

}  // namespace

void attributes(const LoadTable& op, AttributeSink& to) {
  to.bits("address", op.address);
  to.flag("distributed", op.distributed);
  to.flag("rounded", op.rounded);
}

OperandList operands(const LoadTable& op) { return {{"dst_addr", &op.out, Access::write}}; }

Status check(const LoadTable& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand("dst_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0("dst_addr", op.out, chip));
  const Shape& s = op.out.shape;
  TW_RETURN_IF_ERROR(require(s.n == 1 && s.h == 1 && (!op.distributed || s.w == 1),
                             errors::tpu_extents, "dst_addr", s));
  TW_RETURN_IF_ERROR(require(!op.rounded || (is_half(op.out.dtype) && op.address % 4 == 0),
                             errors::tpu_element, "dst_addr", op.out));
  const uint64_t bytes = uint64_t{op.distributed ? s.c : s.w} * stored_bytes(op);
  return require(op.address + bytes <= kStaticWords * 4, errors::tpu_static_range, "src_addr",
                 op.address);
}

Cost cost(const LoadTable& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)),
                      op.out.shape.count(), operands(op), chip);
}

namespace {

// Returns byte `at` of static memory, whose words are little-endian.
uint32_t static_byte(uint32_t at) { return static_words()[at / 4] >> at % 4 * 8 & 0xff; }

}  // namespace

void execute(const LoadTable& op, const Memory& memory) {
  const uint32_t bytes = stored_bytes(op);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const uint32_t at = op.address + (op.distributed ? c : w) * bytes;
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i) value |= static_byte(at + i) << 8 * i;
    if (op.rounded) value = float_bits(f32::from_bits(value), op.out.dtype);
    memory.write(op.out, n, c, h, w, static_cast<int32_t>(value));
  });
}

}  // namespace tputwin

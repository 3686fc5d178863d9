// l2_function: contract, cost and reference kernel.
#include "ops/index/l2_function.h"

#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {

std::string_view name(const L2Function& op) {
  return op.kind == L2Function::Kind::lookup ? "lookup_l2" : "polynomial_l2";
}

void attributes(const L2Function&, AttributeSink&) {}

OperandList operands(const L2Function& op) {
  return {{"dst_addr", &op.out, Access::write},
          {"src_addr", &op.in, Access::read},
          {"table_addr", &op.table, Access::read}};
}

Status check(const L2Function& op, const Chip& chip) {
  constexpr uint32_t kWords = 256, kMostTerms = 4095;
  TW_RETURN_IF_ERROR(check_bm1684_operand("dst_addr", op.out, chip, chip.eu_bytes));
  TW_RETURN_IF_ERROR(check_bm1684_operand("src_addr", op.in, chip, chip.eu_bytes));
  TW_RETURN_IF_ERROR(check_bm1684_element("dst_addr", op.out, 4));
  const bool bytes = op.kind == L2Function::Kind::lookup && op.in.dtype == DType::u8;
  TW_RETURN_IF_ERROR(check_bm1684_element("src_addr", op.in, bytes ? 1 : 4));
  TW_RETURN_IF_ERROR(check_bm1684_shape("src_addr", op.in, op.out.shape));
  const Shape& t = op.table.shape;
  const bool fits = op.kind == L2Function::Kind::lookup ? t.w == kWords : t.w - 1 < kMostTerms;
  TW_RETURN_IF_ERROR(
      require(t.n == 1 && t.c == 1 && t.h == 1 && fits, errors::okk_extents, "table_addr", t));
  TW_RETURN_IF_ERROR(check_bm1684_element("table_addr", op.table, 4));
  TW_RETURN_IF_ERROR(
      require(op.table.space == Space::l2, errors::okk_space, "table_addr", op.table));
  return advise_bm1684_same_npu("src_addr", op.in, op.out, chip);
}

Cost cost(const L2Function& op, const Chip& chip) {
  const uint64_t steps = op.kind == L2Function::Kind::lookup ? 1 : 2 * uint64_t{op.table.shape.w};
  return compute_cost(lane_passes(op.out.shape, chip, 4) * steps, op.out.shape.count() * steps,
                      operands(op), chip);
}

static float polynomial(const L2Function& op, const Memory& memory, float x) {
  auto coefficient = [&](uint32_t i) { return memory.read_f32(op.table, 0, 0, 0, i); };
  uint32_t i = op.table.shape.w - 1;
  float r = coefficient(i);
  while (i > 0) r = f32::add(f32::mul(r, x), coefficient(--i));
  return f32::mul(r, x);
}

void execute(const L2Function& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t bits = memory.read(op.in, n, c, h, w);
    if (op.kind == L2Function::Kind::lookup)
      memory.write(op.out, n, c, h, w, memory.read(op.table, 0, 0, 0, bits & 0xff));
    else
      memory.write_f32(op.out, n, c, h, w,
                       polynomial(op, memory, f32::from_bits(static_cast<uint32_t>(bits))));
  });
}

}  // namespace tputwin

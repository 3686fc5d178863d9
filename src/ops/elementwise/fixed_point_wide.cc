// fixed_point_wide: contract, cost and reference kernel.
#include "ops/elementwise/fixed_point_wide.h"

#include <algorithm>
#include <cstdlib>

#include "base/errors/okkernel.h"
#include "numerics/integer.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {

std::string_view name(const SplitByte& op) {
  return op.work ? "packed_split_low" : "packed_split_high";
}
std::string_view name(const Mul16By8&) { return "packed_mul_16x8"; }
std::string_view name(const MulS16ByU8&) { return "packed_mul_s16_u8"; }

void attributes(const SplitByte&, AttributeSink&) {}

OperandList operands(const SplitByte& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
  if (op.work) list.push_back({"work_addr", &*op.work, Access::write});
  return list;
}

void attributes(const Mul16By8& op, AttributeSink& to) { to.number("rshift", op.rshift); }

OperandList operands(const Mul16By8& op) {
  return {{"dst_addr", &op.out, Access::write},
          {"src0_high_addr", &op.high, Access::read},
          {"src0_low_addr", &op.low, Access::read},
          {"src1_addr", &op.b, Access::read}};
}

void attributes(const MulS16ByU8& op, AttributeSink& to) { to.number("rshift", op.rshift); }

OperandList operands(const MulS16ByU8& op) {
  const bool keeps = op.out.shape != op.a.shape;
  return {{"dst_addr", &op.out, keeps ? Access::read_write : Access::write},
          {"src0_addr", &op.a, Access::read},
          {"src1_addr", &op.b, Access::read},
          {"work_addr", &op.work, Access::write},
          {"work_high_addr", &op.work_high, Access::write},
          {"work_low_addr", &op.work_low, Access::write}};
}

Status check(const SplitByte& op, const Chip& chip) {
  const Shape wide = op.work ? whole_cells(op.out.shape) : op.out.shape;
  TW_RETURN_IF_ERROR(check_bm1684_packed("dst_addr", op.out, op.out.shape, chip));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("dst_addr", op.out, 8));
  TW_RETURN_IF_ERROR(check_bm1684_packed("src_addr", op.in, wide, chip));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("src_addr", op.in, 16));
  if (op.work) {
    TW_RETURN_IF_ERROR(check_bm1684_packed("work_addr", *op.work, wide, chip));
    TW_RETURN_IF_ERROR(check_bm1684_packed_bits("work_addr", *op.work, 16));
  }
  TW_RETURN_IF_ERROR(advise_bm1684_npu_0(operands(op), chip));
  return require(!op.work || op.work->address != op.out.address, errors::okk_split_work,
                 "work_addr", op.out);
}

Status check(const Mul16By8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_packed(operands(op), chip));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("dst_addr", op.out, 16));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("src0_high_addr", op.high, 8));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("src0_low_addr", op.low, 8));
  TW_RETURN_IF_ERROR(check_bm1684_packed_bits("src1_addr", op.b, 8));
  TW_RETURN_IF_ERROR(check_bm1684_rshift(op.rshift));
  return advise_bm1684_npu_0(operands(op), chip);
}

Status check(const MulS16ByU8& op, const Chip& chip) {
  const Shape& shape = op.a.shape;
  struct {
    std::string_view name;
    const TensorView& view;
    uint32_t bits;
    Shape shape;
  } const rules[] = {{"dst_addr", op.out, 16, whole_cells(shape)},
                     {"src0_addr", op.a, 16, shape},
                     {"src1_addr", op.b, 8, shape},
                     {"work_addr", op.work, 16, whole_cells(shape)},
                     {"work_high_addr", op.work_high, 8, shape},
                     {"work_low_addr", op.work_low, 8, shape}};
  for (const auto& rule : rules) {
    TW_RETURN_IF_ERROR(check_bm1684_packed(rule.name, rule.view, rule.shape, chip));
    TW_RETURN_IF_ERROR(check_bm1684_packed_bits(rule.name, rule.view, rule.bits));
  }
  TW_RETURN_IF_ERROR(check_bm1684_rshift(op.rshift));
  return advise_bm1684_npu_0(operands(op), chip);
}

Cost cost(const SplitByte& op, const Chip& chip) {
  return compute_cost(lane_passes(op.in.shape, chip, 2), op.out.shape.count(), operands(op), chip);
}

// One pass for each byte of the wide factor.
Cost cost(const Mul16By8& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 2) * 2, op.out.shape.count() * 2,
                      operands(op), chip);
}

// Six passes: the magnitude, its two bytes, two products, the sign.
Cost cost(const MulS16ByU8& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 2) * 6, op.out.shape.count() * 6,
                      operands(op), chip);
}

void execute(const SplitByte& op, const Memory& memory) {
  for_each_index(op.in.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t value = memory.read(op.in, n, c, h, w);
    if (n < op.out.shape.n) memory.write(op.out, n, c, h, w, op.work ? value : value >> 8);
    if (op.work) memory.write(*op.work, n, c, h, w, value & 0x00ff);
  });
}

void execute(const Mul16By8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int64_t wide = int64_t{memory.read(op.high, n, c, h, w)} * 256 +
                         memory.read(as(op.low, DType::u8), n, c, h, w);
    const int64_t product = wide * memory.read(op.b, n, c, h, w);
    memory.write(op.out, n, c, h, w, saturate(round_shift(product, op.rshift), op.out.dtype));
  });
}

void execute(const MulS16ByU8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    if (n == op.a.shape.n) {  // only fills a cell
      const int32_t low = memory.read(op.out, n, c, h, w) & 0x00ff;
      memory.write(op.out, n, c, h, w, low);
      memory.write(op.work, n, c, h, w, low);
      return;
    }
    const int32_t a = memory.read(op.a, n, c, h, w), b = memory.read(op.b, n, c, h, w);
    const int32_t magnitude = std::min(std::abs(a), 32767);
    const auto product = static_cast<int32_t>(
        std::min<int64_t>(32767, round_shift(int64_t{magnitude} * b, op.rshift)));
    memory.write(op.out, n, c, h, w, a < 0 ? -product : product);
    memory.write(op.work_high, n, c, h, w, magnitude >> 8);
    memory.write(op.work_low, n, c, h, w, magnitude);
    memory.write(op.work, n, c, h, w, a < 0 ? product : 0);
  });
}

}  // namespace tputwin

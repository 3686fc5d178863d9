// mask_select: contract, cost and reference body.
#include "ops/index/mask_select.h"

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/body_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {

using Kind = MaskSelect::Kind;

std::string_view name(const MaskSelect& op) {
  return op.kind == Kind::elements    ? "mask_select"
         : op.kind == Kind::positions ? "nonzero"
                                      : "mask_select_rows";
}

void attributes(const MaskSelect& op, AttributeSink& to) {
  if (op.kind == Kind::positions) to.number("base", op.base);
}

OperandList operands(const MaskSelect& op) {
  // behind the elements selected dst keeps its old values
  OperandList list{{"dst_addr", &op.out, Access::read_write}, {"src_addr", &op.in, Access::read}};
  if (op.kind != Kind::positions) list.push_back({"mask_addr", &op.mask, Access::read});
  if (op.count) list.push_back({"count_addr", &*op.count, Access::write});
  return list;
}

namespace {

Status check_rows(const MaskSelect& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1684x_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_npu_0(operand.name, *operand.view, chip));
  }
  const Shape &s = op.out.shape, &in = op.in.shape;
  TW_RETURN_IF_ERROR(
      require(s.h == 1 && (in.n == s.n || in.n == 1) && in.c == s.c && in.h == 1 && in.w == s.w,
              errors::tpu_extents, "param_addr", in));
  TW_RETURN_IF_ERROR(check_bm1684x_shape("mask_addr", op.mask, s));
  return require(op.count && op.count->shape == Shape{s.n, s.c, 1, 1}, errors::tpu_extents,
                 "count_addr", s);
}

Status advise_banks(const MaskSelect& op, const Chip& chip) {
  if (op.kind != Kind::rows) return {};
  TW_RETURN_IF_ERROR(advise_bm1684x_banks("param_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(advise_bm1684x_banks("mask_addr", op.mask, op.out, chip));
  return advise_bm1684x_banks("mask_addr", op.mask, op.in, chip);
}

Status check_dma(const MaskSelect& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1684x_dma_side(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_rows(operand.name, *operand.view));
  }
  const Shape& s = op.in.shape;
  const bool flat = op.kind == Kind::positions && op.in.space != Space::local;
  TW_RETURN_IF_ERROR(require(s.n == 1 || flat, errors::tpu_gather_batch, "shape", s));
  TW_RETURN_IF_ERROR(
      require(op.out.shape.count() == s.count(), errors::tpu_extents, "dst_addr", op.out.shape));
  return op.kind == Kind::positions ? Status() : check_bm1684x_shape("mask_addr", op.mask, s);
}

}  // namespace

Status check(const MaskSelect& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(op.kind == Kind::rows ? check_rows(op, chip) : check_dma(op, chip));
  const bool fits = op.kind == Kind::positions
                        ? is_32bit(op.out.dtype)
                        : element_bytes(op.in.dtype) == element_bytes(op.out.dtype);
  TW_RETURN_IF_ERROR(require(fits, errors::tpu_element, "dst_addr", op.out));
  const TensorView& mask = op.kind == Kind::positions ? op.in : op.mask;
  TW_RETURN_IF_ERROR(require(!is_float(mask.dtype), errors::tpu_dtype, "mask_addr", mask));
  TW_RETURN_IF_ERROR(advise_banks(op, chip));
  return advise_bm1684x_overlap(operands(op), chip);
}

Cost cost(const MaskSelect& op, const Chip& chip) {
  const Shape& s = op.in.shape;
  if (op.kind != Kind::rows)
    return transfer_cost(op.out, op.in, uint64_t{s.w} * element_bytes(op.in.dtype), chip);
  const uint64_t turns = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(op.out.shape.n * turns * s.w, op.out.shape.count(), operands(op), chip);
}

namespace {

void select_rows(const MaskSelect& op, const Memory& memory) {
  const Shape& s = op.out.shape;
  for_each_index({s.n, s.c, 1, 1}, [&](uint32_t n, uint32_t c, uint32_t, uint32_t) {
    uint32_t k = 0;
    for (uint32_t w = 0; w < s.w; ++w)
      if (memory.read(op.mask, n, c, 0, w) != 0)
        memory.write(op.out, n, c, 0, k++, memory.read(op.in, op.in.shape.n == 1 ? 0 : n, c, 0, w));
    memory.write(*op.count, n, c, 0, 0, static_cast<int32_t>(k));
  });
}

}  // namespace

void execute(const MaskSelect& op, const Memory& memory) {
  if (op.kind == Kind::rows) return select_rows(op, memory);
  const bool positions = op.kind == Kind::positions;
  uint32_t k = 0, number = op.base;
  for_each_index(op.in.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t value = memory.read(op.in, n, c, h, w);
    const bool chosen = (positions ? value : memory.read(op.mask, n, c, h, w)) != 0;
    if (chosen)
      memory.write(op.out, 0, 0, 0, k++, positions ? static_cast<int32_t>(number) : value);
    ++number;
  });
  if (op.chosen != nullptr) *op.chosen = k;
}

}  // namespace tputwin

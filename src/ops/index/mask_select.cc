// mask_select: contract, cost and reference kernel.
#include "ops/index/mask_select.h"

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {

namespace {

// Kinds that test the elements of `in` itself have no mask.
bool has_mask(MaskSelect::Kind kind) {
  return kind != MaskSelect::Kind::positions && kind != MaskSelect::Kind::row_positions;
}
// Returns true for kinds that choose from each row, or from the rows of each channel.
bool by_channel(MaskSelect::Kind kind) {
  return kind != MaskSelect::Kind::elements && kind != MaskSelect::Kind::positions;
}

}  // namespace

std::string_view name(const MaskSelect& op) {
  constexpr std::string_view kNames[] = {"mask_select", "nonzero", "mask_select_rows",
                                         "nonzero_rows", "mask_select_lines"};
  return kNames[static_cast<size_t>(op.kind)];
}

void attributes(const MaskSelect& op, AttributeSink& to) {
  if (op.kind == MaskSelect::Kind::positions) to.number("base", op.base);
}

OperandList operands(const MaskSelect& op) {
  // Elements of dst after the selected ones keep their old values.
  OperandList list{{"dst_addr", &op.out, Access::read_write}, {"src_addr", &op.in, Access::read}};
  if (has_mask(op.kind)) list.push_back({"mask_addr", &op.mask, Access::read});
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
  const bool lines = op.kind == MaskSelect::Kind::lines;
  TW_RETURN_IF_ERROR(require((s.h == 1 || lines) && (in.n == s.n || in.n == 1) && in.c == s.c &&
                                 in.h == s.h && in.w == s.w,
                             errors::tpu_extents, "param_addr", in));
  const Shape mask = lines ? Shape{s.n, s.c, s.h, 1} : s;
  if (has_mask(op.kind)) TW_RETURN_IF_ERROR(check_bm1684x_shape("mask_addr", op.mask, mask));
  return require(op.count && op.count->shape == Shape{s.n, s.c, 1, 1}, errors::tpu_extents,
                 "count_addr", s);
}

Status advise_banks(const MaskSelect& op, const Chip& chip) {
  if (!by_channel(op.kind)) return {};
  TW_RETURN_IF_ERROR(advise_bm1684x_banks("param_addr", op.in, op.out, chip));
  if (!has_mask(op.kind)) return {};
  TW_RETURN_IF_ERROR(advise_bm1684x_banks("mask_addr", op.mask, op.out, chip));
  return advise_bm1684x_banks("mask_addr", op.mask, op.in, chip);
}

Status check_dma(const MaskSelect& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1684x_dma_side(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_rows(operand.name, *operand.view));
  }
  const Shape& s = op.in.shape;
  const bool flat = op.in.space != Space::local &&
                    (op.kind == MaskSelect::Kind::positions || op.mask.space != Space::local);
  TW_RETURN_IF_ERROR(require(s.n == 1 || flat, errors::tpu_gather_batch, "shape", s));
  TW_RETURN_IF_ERROR(
      require(op.out.shape.count() == s.count(), errors::tpu_extents, "dst_addr", op.out.shape));
  return op.kind == MaskSelect::Kind::positions ? Status()
                                                : check_bm1684x_shape("mask_addr", op.mask, s);
}

}  // namespace

Status check(const MaskSelect& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(by_channel(op.kind) ? check_rows(op, chip) : check_dma(op, chip));
  const uint32_t bytes = element_bytes(op.out.dtype);
  const bool fits = has_mask(op.kind) ? element_bytes(op.in.dtype) == bytes
                                      : bytes > 1 && !is_float(op.out.dtype);
  TW_RETURN_IF_ERROR(require(fits, errors::tpu_element, "dst_addr", op.out));
  const TensorView& mask = has_mask(op.kind) ? op.mask : op.in;
  TW_RETURN_IF_ERROR(require(!is_float(mask.dtype), errors::tpu_dtype, "mask_addr", mask));
  return advise_banks(op, chip);
}

Cost cost(const MaskSelect& op, const Chip& chip) {
  const Shape& s = op.in.shape;
  if (!by_channel(op.kind))
    return transfer_cost(op.out, op.in, uint64_t{s.w} * element_bytes(op.in.dtype), chip);
  const uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(op.out.shape.n * rounds * s.h * s.w, op.out.shape.count(), operands(op),
                      chip);
}

namespace {

// Calls put(n, c, k, i) for every i below `count` that is chosen in channel c; k numbers them from
// 0.
template <class Put>
void choose(const MaskSelect& op, const Memory& memory, uint32_t count, Put&& put) {
  const Shape& s = op.out.shape;
  const TensorView& mask = has_mask(op.kind) ? op.mask : op.in;
  const bool lines = op.kind == MaskSelect::Kind::lines;
  for_each_index({s.n, s.c, 1, 1}, [&](uint32_t n, uint32_t c, uint32_t, uint32_t) {
    const uint32_t batch = mask.shape.n == 1 ? 0 : n;
    uint32_t k = 0;
    for (uint32_t i = 0; i < count; ++i)
      if (memory.read(mask, batch, c, lines ? i : 0, lines ? 0 : i) != 0) put(n, c, k++, i);
    memory.write(*op.count, n, c, 0, 0, static_cast<int32_t>(k));
  });
}

void select_rows(const MaskSelect& op, const Memory& memory) {
  auto in = [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    return memory.read(op.in, op.in.shape.n == 1 ? 0 : n, c, h, w);
  };
  const Shape& s = op.out.shape;
  if (op.kind == MaskSelect::Kind::lines)
    choose(op, memory, s.h, [&](uint32_t n, uint32_t c, uint32_t k, uint32_t i) {
      for (uint32_t w = 0; w < s.w; ++w) memory.write(op.out, n, c, k, w, in(n, c, i, w));
    });
  else
    choose(op, memory, s.w, [&](uint32_t n, uint32_t c, uint32_t k, uint32_t i) {
      const bool positions = op.kind == MaskSelect::Kind::row_positions;
      memory.write(op.out, n, c, 0, k, positions ? static_cast<int32_t>(i) : in(n, c, 0, i));
    });
}

}  // namespace

void execute(const MaskSelect& op, const Memory& memory) {
  if (by_channel(op.kind)) return select_rows(op, memory);
  const bool positions = op.kind == MaskSelect::Kind::positions;
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

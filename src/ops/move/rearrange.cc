// rearrange: contract, cost and reference kernel.
#include "ops/move/rearrange.h"

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {

std::string_view name(const Rearrange& op) {
  switch (op.kind) {
    case Rearrange::Kind::swap_nc:
      return "transpose_nc";
    case Rearrange::Kind::swap_cw:
      return "transpose_cw";
    case Rearrange::Kind::repeat_channel:
      return "repeat_channel";
    case Rearrange::Kind::refold:
      return "refold";
    case Rearrange::Kind::other_lanes:
      return "copy_to_lanes";
  }
  return "?";
}

void attributes(const Rearrange&, AttributeSink&) {}

OperandList operands(const Rearrange& op) {
  return {{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
}

namespace {

Shape source_shape(const Rearrange& op) {
  const Shape& s = op.out.shape;
  switch (op.kind) {
    case Rearrange::Kind::swap_nc:
      return {s.c, s.n, s.h, s.w};
    case Rearrange::Kind::swap_cw:
      return {s.n, s.w, s.h, s.c};
    case Rearrange::Kind::repeat_channel:
      return {s.n, 1, s.h, s.w};
    case Rearrange::Kind::refold:
      return op.in.shape;
    case Rearrange::Kind::other_lanes:
      return s;
  }
  return s;
}

// The lanes of a repeated channel must be neighbours; they must not wrap.
Status check_repeated(const Rearrange& op, const Chip& chip) {
  if (op.kind != Rearrange::Kind::repeat_channel) return {};
  const uint64_t start = op.out.address / chip.lane_bytes;
  return require(start + op.out.shape.c <= chip.lanes, errors::tpu_lanes, "shape", op.out.shape);
}

Status check_compute(const Rearrange& op, const Chip& chip) {
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(check_bm1684x_operand(operand.name, *operand.view, chip));
  if (op.kind != Rearrange::Kind::swap_cw) return {};
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0("dst_addr", op.out, chip));
  return check_bm1684x_npu_0("src_addr", op.in, chip);
}

Status check_dma(const Rearrange& op, const Chip& chip) {
  const bool rows =
      op.kind == Rearrange::Kind::swap_cw || op.kind == Rearrange::Kind::repeat_channel;
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1684x_dma_side(operand.name, *operand.view, chip));
    if (rows) TW_RETURN_IF_ERROR(check_bm1684x_rows(operand.name, *operand.view));
  }
  return {};
}

// The BM1684's GDMA exchanges n and c, or c and w, and copies in index order.
Status check_bm1684(const Rearrange& op) {
  using Kind = Rearrange::Kind;
  const auto is_element = [](const TensorView& view) { return view.pack == 1 && is_run(view); };
  TW_RETURN_IF_ERROR(
      require(op.engine == Engine::dma &&
                  (op.kind == Kind::swap_nc || op.kind == Kind::swap_cw || op.kind == Kind::refold),
              errors::okk_element, "dst_addr", op.out));
  TW_RETURN_IF_ERROR(require(is_element(op.out), errors::okk_element, "dst_addr", op.out));
  TW_RETURN_IF_ERROR(
      require(is_element(op.in) && element_bytes(op.in.dtype) == element_bytes(op.out.dtype),
              errors::okk_element, "src_addr", op.in));
  TW_RETURN_IF_ERROR(check_bm1684_shape("src_addr", op.in, source_shape(op)));
  TW_RETURN_IF_ERROR(require(op.in.shape.count() == op.out.shape.count(), errors::okk_extents,
                             "src_addr", op.in.shape));
  const bool is_matrix = op.in.shape.n == 1 && op.in.shape.h == 1;
  TW_RETURN_IF_ERROR(
      require(op.kind != Kind::swap_cw || is_matrix, errors::okk_extents, "src_addr", op.in.shape));
  return require(
      op.kind != Kind::swap_cw || (op.in.space == Space::local && op.out.space == Space::local),
      errors::okk_space, "src_addr", op.in);
}

}  // namespace

Status check(const Rearrange& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684) return check_bm1684(op);
  TW_RETURN_IF_ERROR(op.engine == Engine::dma ? check_dma(op, chip) : check_compute(op, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_shape("src_addr", op.in, source_shape(op)));
  TW_RETURN_IF_ERROR(require(
      op.in.shape.count() == op.out.shape.count() || op.kind == Rearrange::Kind::repeat_channel,
      errors::tpu_element_count, "src_shape", op.in.shape));
  TW_RETURN_IF_ERROR(require(element_bytes(op.in.dtype) == element_bytes(op.out.dtype),
                             errors::tpu_element, "src_addr", op.in));
  TW_RETURN_IF_ERROR(check_repeated(op, chip));
  if (op.kind != Rearrange::Kind::swap_cw || op.engine != Engine::compute) return {};
  return advise_bm1684x_banks("src_addr", op.in, op.out, chip);
}

Cost cost(const Rearrange& op, const Chip& chip) {
  const uint32_t bytes = element_bytes(op.out.dtype);
  if (op.engine == Engine::dma)
    return transfer_cost(op.out, op.in,
                         op.kind == Rearrange::Kind::swap_cw ? bytes : op.out.shape.count() * bytes,
                         chip);
  return compute_cost(lane_passes(op.out.shape, chip, bytes), op.out.shape.count(), operands(op),
                      chip);
}

namespace {

void refold(const Rearrange& op, const Memory& memory) {
  const Shape& s = op.in.shape;
  uint64_t i = 0;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    auto extent = [&](uint64_t below, uint32_t of) {
      return static_cast<uint32_t>(i / below % of);
    };
    const int32_t value =
        memory.read(op.in, extent(uint64_t{s.c} * s.h * s.w, s.n), extent(uint64_t{s.h} * s.w, s.c),
                    extent(s.w, s.h), extent(1, s.w));
    memory.write(op.out, n, c, h, w, value);
    ++i;
  });
}

// Copies in the index order of the source, as DMA reads and writes.
void swap_nc(const Rearrange& op, const Memory& memory) {
  for_each_index(op.in.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.out, c, n, h, w, memory.read(op.in, n, c, h, w));
  });
}

}  // namespace

void execute(const Rearrange& op, const Memory& memory) {
  if (op.kind == Rearrange::Kind::refold) return refold(op, memory);
  if (op.kind == Rearrange::Kind::swap_nc) return swap_nc(op, memory);
  auto source = [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    switch (op.kind) {
      case Rearrange::Kind::swap_cw:
        return memory.read(op.in, n, w, h, c);
      case Rearrange::Kind::repeat_channel:
        return memory.read(op.in, n, 0, h, w);
      default:
        return memory.read(op.in, n, c, h, w);
    }
  };
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.out, n, c, h, w, source(n, c, h, w));
  });
}

}  // namespace tputwin

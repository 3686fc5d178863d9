// mdsum: contract, cost and reference kernel.
#include "ops/pool/mdsum.h"

#include "base/bits.h"
#include "base/errors/ops.h"
#include "memory/layout.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

// Only the low byte of a 16-bit result is written.
TensorView written(const Mdsum& op) {
  return as(op.out, make_dtype(is_signed(op.out.dtype), /*is_8bit=*/true));
}

}  // namespace

std::string_view name(const Mdsum&) { return "mdsum"; }

void attributes(const Mdsum&, AttributeSink&) {}

OperandList operands(const Mdsum& op) {
  return {{"res", &op.out, Access::write}, {"a", &op.a, Access::read}};
}

Footprint footprint(const Mdsum& op, const Chip& chip) {
  Footprint f;
  add_ranges(written(op), chip, f.writes);
  add_ranges(op.a, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const Mdsum& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_operand("a", op.a, chip));
  TW_RETURN_IF_ERROR(check_bm1880_operand("res", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1880_8bit("a", op.a));
  TW_RETURN_IF_ERROR(check_shape("res", op.out, {1, op.a.shape.c, 1, 1}, errors::ops_mdsum_shape));
  if (is_16bit(op.out.dtype)) TW_RETURN_IF_ERROR(check_bm1880_high_plane("res", op.out));
  TW_RETURN_IF_ERROR(require(is_signed(op.out.dtype) == is_signed(op.a.dtype),
                             errors::ops_mdsum_sign, "res", op.out));
  TW_RETURN_IF_ERROR(check_bm1880_aligned_strides("a", op.a, chip));
  TW_RETURN_IF_ERROR(
      check_bm1880_layout("res", op.out, local_stride(chip, op.out.shape, /*aligned=*/false)));
  TW_RETURN_IF_ERROR(advise_bm1880_aligned_start("a", op.a, chip));
  return advise_bm1880_start_lane("a", op.a, op.out, chip);
}

// The 16 units of a lane add their shares, then a tree of four steps joins them.
Cost cost(const Mdsum& op, const Chip& chip) {
  const uint64_t rounds = ceil_div(uint64_t{op.a.shape.c}, chip.lanes);
  return compute_cost(lane_passes(op.a.shape, chip) + 4 * rounds, op.a.shape.count(), operands(op),
                      chip);
}

void execute(const Mdsum& op, const Memory& memory) {
  const Shape& a = op.a.shape;
  const TensorView out = written(op);
  for (uint32_t c = 0; c < a.c; ++c) {
    int64_t sum = 0;
    for (uint32_t n = 0; n < a.n; ++n)
      for (uint32_t h = 0; h < a.h; ++h)
        for (uint32_t w = 0; w < a.w; ++w) sum += memory.read(op.a, n, c, h, w);
    memory.write(out, 0, c, 0, 0, saturate(sum, op.out.dtype));
  }
}

}  // namespace tputwin

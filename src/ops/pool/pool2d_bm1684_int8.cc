// pool2d_bm1684_int8: contract, cost and reference kernel.
#include "ops/pool/pool2d_bm1684_int8.h"

#include <algorithm>

#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_bytes.h"

namespace tputwin {

std::string_view name(const Pool2dBm1684Int8&) { return "max_pooling_int8"; }

void attributes(const Pool2dBm1684Int8& op, AttributeSink& to) {
  to.window(op.window);
  to.flag("relu", op.relu);
}

OperandList operands(const Pool2dBm1684Int8& op) {
  return {{"output_addr", &op.out, Access::write}, {"input_addr", &op.in, Access::read}};
}

Status check(const Pool2dBm1684Int8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_byte_sides(op.out, op.in, chip));
  TW_RETURN_IF_ERROR(
      require(op.out.dtype == op.in.dtype, errors::okk_element, "output_addr", op.out));
  TW_RETURN_IF_ERROR(
      check_bm1684_window(op.window, op.in, op.out, op.in.shape.c, chip, Insertion::allowed));
  TW_RETURN_IF_ERROR(advise_bm1684_same_npu("input_addr", op.in, op.out, chip));
  return advise_bm1684_window(op.window, op.in.shape, chip);
}

Cost cost(const Pool2dBm1684Int8& op, const Chip& chip) {
  const uint64_t steps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip) * steps, op.out.shape.count() * steps,
                      operands(op), chip);
}

void execute(const Pool2dBm1684Int8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    int32_t largest = is_signed(op.in.dtype) ? -128 : 0;
    for_each_tap(op.window, op.in.shape, y, x,
                 [&](uint32_t, uint32_t, TapKind kind, uint32_t iy, uint32_t ix) {
                   if (kind == TapKind::inside)
                     largest = std::max(largest, memory.read(op.in, n, c, iy, ix));
                 });
    const bool drops = op.relu && (largest & 0x80) != 0;
    memory.write(op.out, n, c, y, x, drops ? 0 : largest);
  });
}

}  // namespace tputwin

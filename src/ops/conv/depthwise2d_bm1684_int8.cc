// depthwise2d_bm1684_int8: contract, cost and reference kernel.
#include "ops/conv/depthwise2d_bm1684_int8.h"

#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_bytes.h"

namespace tputwin {

std::string_view name(const Depthwise2dBm1684Int8& op) {
  return op.weight.is_constant ? "mean_int8" : "depthwise_int8";
}

void attributes(const Depthwise2dBm1684Int8& op, AttributeSink& to) {
  to.window(op.window);
  to.constant("factor", op.weight);
  to.number("rshift", op.rshift);
}

OperandList operands(const Depthwise2dBm1684Int8& op) {
  return filter_operands(op, kFilterAddresses);
}

Status check(const Depthwise2dBm1684Int8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_byte_sides(op.out, op.in, chip));
  TW_RETURN_IF_ERROR(
      check_bm1684_window(op.window, op.in, op.out, op.in.shape.c, chip, Insertion::allowed));
  TW_RETURN_IF_ERROR(check_bm1684_same_npu("input_addr", op.in, op.out, chip));
  if (!op.weight.is_constant) {
    TW_RETURN_IF_ERROR(check_bm1684_bytes("weight_addr", op.weight.view, chip, /*pack=*/1));
    TW_RETURN_IF_ERROR(check_bm1684_shape("weight_addr", op.weight.view,
                                          depthwise_weight_shape(op.in, op.window)));
  }
  return check_bm1684_byte_filter_end(op, chip);
}

Cost cost(const Depthwise2dBm1684Int8& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

void execute(const Depthwise2dBm1684Int8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    int64_t sum = bias_of(op.bias, memory, c);
    for_each_tap(op.window, op.in.shape, y, x,
                 [&](uint32_t kh, uint32_t kw, TapKind kind, uint32_t iy, uint32_t ix) {
                   if (kind == TapKind::inside)
                     sum += int64_t{memory.read(op.in, n, c, iy, ix)} *
                            op.weight.read(memory, 0, c, kh, kw);
                 });
    memory.write(op.out, n, c, y, x, saturate(round_shift(sum, op.rshift), op.out.dtype));
  });
}

}  // namespace tputwin

// pool2d_bm1880: contract, cost and reference kernel.
#include "ops/pool/pool2d_bm1880.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {

std::string_view name(const Pool2dBm1880& op) {
  return op.kind == Pool2dBm1880::Kind::maximum ? "max_pooling" : "avg_pooling";
}

void attributes(const Pool2dBm1880& op, AttributeSink& to) {
  to.window(op.window);
  if (op.kind == Pool2dBm1880::Kind::maximum) return;
  to.number("multiplier", op.multiplier);
  to.number("rshift", op.rshift);
}

OperandList operands(const Pool2dBm1880& op) {
  return {{"ofmap", &op.out, Access::write}, {"ifmap", &op.in, Access::read}};
}

Status check(const Pool2dBm1880& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const bool inserts = (h.insert | h.insert_last | w.insert | w.insert_last) != 0;
  const bool average = op.kind == Pool2dBm1880::Kind::average;
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1880_window(op.window, op.in.shape, chip));
  TW_RETURN_IF_ERROR(require(h.dilation == 1, errors::ops_no_dilation, "window", h));
  TW_RETURN_IF_ERROR(require(w.dilation == 1, errors::ops_no_dilation, "window", w));
  TW_RETURN_IF_ERROR(require(average || !inserts, errors::ops_pool_insert, "window", h));
  TW_RETURN_IF_ERROR(require(h.kernel > 1 || w.kernel > 1, errors::ops_pool_kernel, "window", h));
  TW_RETURN_IF_ERROR(check_bm1880_output(op.out, op.in.shape, op.in.shape.c, op.window));
  TW_RETURN_IF_ERROR(require(op.multiplier <= 255, errors::ops_pool_multiplier, "avg_pooling_const",
                             op.multiplier));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  return advise_bm1880_start_lane("ifmap", op.in, op.out, chip);
}

// One window element per cycle; averages take one more for the multiplication.
Cost cost(const Pool2dBm1880& op, const Chip& chip) {
  const uint64_t steps = uint64_t{op.window.h.kernel} * op.window.w.kernel +
                         (op.kind == Pool2dBm1880::Kind::average ? 1 : 0);
  return compute_cost(lane_passes(op.out.shape, chip) * steps, op.out.shape.count() * steps,
                      operands(op), chip);
}

void execute(const Pool2dBm1880& op, const Memory& memory) {
  const Shape& in = op.in.shape;
  const int32_t smallest = is_signed(op.in.dtype) ? -128 : 0;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    int64_t sum = 0;
    int32_t largest = smallest;
    for (uint32_t kh = 0; kh < op.window.h.kernel; ++kh)
      for (uint32_t kw = 0; kw < op.window.w.kernel; ++kw) {
        int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
        if (iy < 0 || ix < 0) continue;
        int32_t value = memory.read(op.in, n, c, iy, ix);
        sum += value;
        largest = std::max(largest, value);
      }
    int32_t average = saturate(round_shift(wrap32(sum * op.multiplier), op.rshift), op.in.dtype);
    memory.write(op.out, n, c, y, x, op.kind == Pool2dBm1880::Kind::maximum ? largest : average);
  });
}

}  // namespace tputwin

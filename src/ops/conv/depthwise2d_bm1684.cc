// depthwise2d_bm1684: contract, cost and reference kernel.
#include "ops/conv/depthwise2d_bm1684.h"

#include "base/errors/okkernel.h"
#include "numerics/accumulate.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_window.h"

namespace tputwin {

std::string_view name(const Depthwise2dBm1684&) { return "depthwise_f32"; }

void attributes(const Depthwise2dBm1684& op, AttributeSink& to) { to.window(op.window); }

OperandList operands(const Depthwise2dBm1684& op) { return filter_operands(op, kFilterAddresses); }

Status check(const Depthwise2dBm1684& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.in.shape.c;
  TW_RETURN_IF_ERROR(check_bm1684_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684_operand("input_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684_address("weight_addr", op.weight, 4));
  TW_RETURN_IF_ERROR(
      check_bm1684_window(op.window, op.in, op.out, channels, chip, Insertion::allowed));
  TW_RETURN_IF_ERROR(
      check_bm1684_shape("weight_addr", op.weight, {1, channels, h.kernel, w.kernel}));
  TW_RETURN_IF_ERROR(check_bm1684_same_npu("input_addr", op.in, op.out, chip));
  return check_bm1684_filter_end(op, chip);
}

Cost cost(const Depthwise2dBm1684& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.weight.shape.h} * op.weight.shape.w;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

float result_at(const Depthwise2dBm1684& op, const Memory& memory, uint32_t n, uint32_t c,
                uint32_t y, uint32_t x) {
  const Shape& in = op.in.shape;
  WindowSum products;
  for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
      const int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
      const bool inside = iy >= 0 && ix >= 0;
      products.add(inside ? memory.read_f32(op.in, n, c, iy, ix) : 0.0f,
                   memory.read_f32(op.weight, 0, c, kh, kw));
    }
  return finish_f32(op.out, op.bias, /*accumulate=*/false, memory, n, c, y, x, products.total());
}

void execute(const Depthwise2dBm1684& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  });
}

}  // namespace tputwin

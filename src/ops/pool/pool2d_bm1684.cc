// pool2d_bm1684: contract, cost and reference kernel.
#include "ops/pool/pool2d_bm1684.h"

#include "base/errors/okkernel.h"
#include "numerics/accumulate.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_window.h"

namespace tputwin {

std::string_view name(const Pool2dBm1684& op) {
  return op.kind == Pool2dBm1684::Kind::maximum ? "max_pooling_f32" : "avg_pooling_f32";
}

void attributes(const Pool2dBm1684& op, AttributeSink& to) {
  to.window(op.window);
  const bool average = op.kind == Pool2dBm1684::Kind::average;
  if (average && f32::bits(op.factor) != f32::bits(share_of(op.window)))
    to.bits("factor", f32::bits(op.factor));
}

OperandList operands(const Pool2dBm1684& op) {
  return {{"output_addr", &op.out, Access::write}, {"input_addr", &op.in, Access::read}};
}

Status check(const Pool2dBm1684& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_operand("output_addr", op.out, chip, 4, Channels::all));
  TW_RETURN_IF_ERROR(check_bm1684_operand("input_addr", op.in, chip, 4, Channels::all));
  const bool average = op.kind == Pool2dBm1684::Kind::average;
  TW_RETURN_IF_ERROR(check_bm1684_window(op.window, op.in, op.out, op.in.shape.c, chip,
                                         average ? Insertion::allowed : Insertion::none));
  TW_RETURN_IF_ERROR(advise_bm1684_same_npu("input_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(advise_bm1684_window(op.window, op.in.shape, chip));
  return advise_bm1684_channels("input_shape", op.in.shape, chip);
}

Cost cost(const Pool2dBm1684& op, const Chip& chip) {
  const uint64_t steps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * steps, op.out.shape.count() * steps,
                      operands(op), chip);
}

float share_of(const Window& window) {
  return 1.0f / static_cast<float>(uint64_t{window.h.kernel} * window.w.kernel);
}

float result_at(const Pool2dBm1684& op, const Memory& memory, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x) {
  const Shape& in = op.in.shape;
  WindowSum sum;
  float largest = f32::kLowest;
  for (uint32_t kh = 0; kh < op.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < op.window.w.kernel; ++kw) {
      const int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
      const bool inside = iy >= 0 && ix >= 0;
      const float value = inside ? memory.read_f32(op.in, n, c, iy, ix) : 0.0f;
      sum.add(value, op.factor);
      if (inside && value > largest) largest = f32::ftz(value);
    }
  return op.kind == Pool2dBm1684::Kind::maximum ? largest : sum.total();
}

void execute(const Pool2dBm1684& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  });
}

}  // namespace tputwin

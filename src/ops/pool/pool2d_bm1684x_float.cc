// pool2d_bm1684x_float: contract, cost and reference kernel.
#include "ops/pool/pool2d_bm1684x_float.h"
#include "base/errors/tpukernel.h"
#include "numerics/rounded_sum.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Pool2dBm1684xFloat& op) {
  return op.kind == Pool2dBm1684xFloat::Kind::maximum ? "max_pool2d_float" : "avg_pool2d_float";
}

void attributes(const Pool2dBm1684xFloat& op, AttributeSink& to) {
  to.window(op.window);
  if (op.kind == Pool2dBm1684xFloat::Kind::average) to.bits("factor", op.factor);
  outside_attributes(op, to);
}

OperandList operands(const Pool2dBm1684xFloat& op) {
  return {{"output_addr", &op.out, Access::write}, {"input_addr", &op.in, Access::read}};
}

Status check(const Pool2dBm1684xFloat& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_operand("input_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_start("input_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(require(is_float(op.in.dtype), errors::tpu_dtype, "dtype", op.in));
  TW_RETURN_IF_ERROR(require(op.out.dtype == op.in.dtype, errors::tpu_dtype_pair, "dtype", op.out));
  return check_bm1684x_window(op.window, op.in, op.out, op.in.shape.c, chip);
}

Cost cost(const Pool2dBm1684xFloat& op, const Chip& chip) {
  const uint64_t steps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * steps,
                      op.out.shape.count() * steps, operands(op), chip);
}

namespace {

uint32_t bits_at(const Pool2dBm1684xFloat& op, const Memory& memory, TapKind tap, uint32_t n,
                 uint32_t c, uint32_t y, uint32_t x) {
  if (tap == TapKind::inside) return static_cast<uint32_t>(memory.read(op.in, n, c, y, x));
  return tap == TapKind::padding ? op.padding : op.insertion;
}

uint32_t largest_at(const Pool2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t c,
                    uint32_t y, uint32_t x) {
  const DType type = op.in.dtype;
  uint32_t largest = lowest_bits(type);
  for_each_tap(op.window, op.in.shape, y, x,
               [&](uint32_t, uint32_t, TapKind tap, uint32_t iy, uint32_t ix) {
                 const uint32_t value = bits_at(op, memory, tap, n, c, iy, ix);
                 if (!(float_value(largest, type) > float_value(value, type))) largest = value;
               });
  return type == DType::f32 ? flush_bits(largest, type) : largest;
}

uint32_t average_at(const Pool2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t c,
                    uint32_t y, uint32_t x) {
  const DType type = op.in.dtype;
  RoundedSum sum(type, -0.0f, -0.0f);
  for_each_tap(op.window, op.in.shape, y, x,
               [&](uint32_t, uint32_t, TapKind tap, uint32_t iy, uint32_t ix) {
                 const uint32_t value = bits_at(op, memory, tap, n, c, iy, ix);
                 sum.add(float_value(value, type), float_value(op.factor, type));
               });
  return float_bits(sum.total(), type);
}

}  // namespace

uint32_t result_at(const Pool2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t c,
                   uint32_t y, uint32_t x) {
  return op.kind == Pool2dBm1684xFloat::Kind::maximum ? largest_at(op, memory, n, c, y, x)
                                                      : average_at(op, memory, n, c, y, x);
}

void execute(const Pool2dBm1684xFloat& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    memory.write(op.out, n, c, y, x, static_cast<int32_t>(result_at(op, memory, n, c, y, x)));
  });
}

}  // namespace tputwin

// depthwise2d_bm1684x_float: contract, cost and reference kernel.
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "base/errors/tpukernel.h"
#include "numerics/rounded_sum.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Depthwise2dBm1684xFloat&) { return "depthwise2d_float"; }

void attributes(const Depthwise2dBm1684xFloat& op, AttributeSink& to) {
  to.window(op.window);
  to.constant("weight", op.weight);
  outside_attributes(op, to);
  to.flag("turned", op.is_rotated);
}

OperandList operands(const Depthwise2dBm1684xFloat& op) {
  return filter_operands(op, kFilterAddresses);
}

Status check(const Depthwise2dBm1684xFloat& op, const Chip& chip) {
  const DType dtype = op.in.dtype;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_operand("input_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_start("input_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(require(is_float(dtype), errors::tpu_dtype, "input_dtype", op.in));
  TW_RETURN_IF_ERROR(
      require(op.out.dtype == dtype, errors::tpu_dtype_pair, "output_dtype", op.out));
  TW_RETURN_IF_ERROR(check_bm1684x_window(op.window, op.in, op.out, op.in.shape.c, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_depthwise2d_weight(
      op.weight, depthwise_weight_shape(op.in, op.window), op.out, chip));
  TW_RETURN_IF_ERROR(
      require(op.weight.view.dtype == dtype, errors::tpu_element, "weight_addr", op.weight.view));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bm1684x_channels("bias_addr", *op.bias, op.in.shape.c, op.out, chip));
    TW_RETURN_IF_ERROR(
        require(op.bias->dtype == dtype, errors::tpu_element, "bias_addr", *op.bias));
  }
  return {};
}

Cost cost(const Depthwise2dBm1684xFloat& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * taps,
                      op.out.shape.count() * taps, operands(op), chip);
}

float bias_at(const Depthwise2dBm1684xFloat& op, const Memory& memory, uint32_t c) {
  return op.bias ? read_float(memory, *op.bias, 0, c, 0, 0)
                 : float_value(op.constant_bias, op.in.dtype);
}

float result_at(const Depthwise2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t c,
                uint32_t y, uint32_t x) {
  const float bias = bias_at(op, memory, c);
  RoundedSum sum(op.in.dtype, 0.0f, bias);
  for_each_tap(op.window, op.in.shape, y, x,
               [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t iy, uint32_t ix) {
                 const float value = tap == TapKind::inside
                                         ? read_float(memory, op.in, n, c, iy, ix)
                                         : float_outside(op, tap);
                 const auto at = weight_place(op.window, op.is_rotated, kh, kw);
                 sum.add(value, read_float(memory, op.weight, 0, c, at.h, at.w));
               });
  return sum.total();
}

void execute(const Depthwise2dBm1684xFloat& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    write_float(memory, op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  });
}

}  // namespace tputwin

// conv2d_bm1684x_int8: contract, cost and reference kernel.
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Conv2dBm1684xInt8&) { return "conv2d_quant"; }

void attributes(const Conv2dBm1684xInt8& op, AttributeSink& to) {
  to.window(op.window);
  to.constant("weight", op.weight);
  outside_attributes(op, to);
  to.parameter("zero_point", op.zero_point);
  to.parameter("padding", op.padding);
  to.parameter("insertion", op.insertion);
  to.flag("turned", op.is_rotated);
  to.flag("accumulate", op.accumulate);
  to.flag("relu", op.relu);
  to.number("rshift", op.rshift);
}

OperandList operands(const Conv2dBm1684xInt8& op) {
  OperandList list = filter_operands(op, kFilterAddresses);
  add_source(list, "kzp_addr", op.zero_point);
  add_source(list, "pad_addr", op.padding);
  add_source(list, "pad_insert_addr", op.insertion);
  return list;
}

namespace {

Status check_types(const Conv2dBm1684xInt8& op) {
  const DType out = op.out.dtype;
  TW_RETURN_IF_ERROR(check_bm1684x_int8_filter(op.in, op.weight, op.out));
  TW_RETURN_IF_ERROR(
      require(!op.accumulate || is_32bit(out), errors::tpu_dtype_pair, "output_dtype", op.out));
  TW_RETURN_IF_ERROR(
      require(!op.relu || !is_signed(out), errors::tpu_relu_type, "output_dtype", op.out));
  if (op.bias)
    TW_RETURN_IF_ERROR(
        require(is_16bit(op.bias->dtype), errors::tpu_dtype, "bias_dtype", *op.bias));
  return require(op.rshift < 32, errors::tpu_rshift, "rshift", op.rshift);
}

}  // namespace

Status check(const Conv2dBm1684xInt8& op, const Chip& chip) {
  const uint32_t ic = op.in.shape.c, oc = op.out.shape.c;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_conv2d_input(op.in, chip));
  TW_RETURN_IF_ERROR(check_types(op));
  TW_RETURN_IF_ERROR(check_bm1684x_window(op.window, op.in, op.out, oc, chip));
  TW_RETURN_IF_ERROR(
      check_bm1684x_conv2d_weight(op.weight, weight_shape(ic, oc, op.window, op.in.dtype), chip));
  if (op.bias) TW_RETURN_IF_ERROR(check_bm1684x_channels_anywhere("bias_addr", *op.bias, oc, chip));
  if (!op.zero_point.is_constant)
    TW_RETURN_IF_ERROR(check_bm1684x_channels_anywhere("kzp_addr", op.zero_point.view, oc, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_parameter("pad_addr", op.padding, ic, op.in, chip));
  return check_bm1684x_parameter("pad_insert_addr", op.insertion, ic, op.in, chip);
}

// A unit multiplies several channels of its output position in a cycle.
Cost cost(const Conv2dBm1684xInt8& op, const Chip& chip) {
  const uint64_t ic = op.in.shape.c, taps = taps_of(op.window);
  const uint64_t steps = ceil_div(ic, uint64_t{channels_a_cycle(op.in.dtype)}) * taps;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * steps, op.out.shape.count() * ic * taps,
                      operands(op), chip);
}

int64_t accumulator_at(const Conv2dBm1684xInt8& op, const Memory& memory, uint32_t n, uint32_t oc,
                       uint32_t y, uint32_t x) {
  const uint32_t group = weight_group(op.in.dtype);
  const int32_t zero_point = op.zero_point.read(memory, 0, oc, 0, 0);
  int64_t sum = op.bias ? memory.read(*op.bias, 0, oc, 0, 0) : op.constant_bias;
  for (uint32_t ic = 0; ic < op.in.shape.c; ++ic)
    for_each_tap(
        op.window, op.in.shape, y, x,
        [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t iy, uint32_t ix) {
          const Source& outside = tap == TapKind::padding ? op.padding : op.insertion;
          const int32_t value = tap == TapKind::inside ? memory.read(op.in, n, ic, iy, ix)
                                                       : outside.read(memory, 0, ic, 0, 0);
          const uint32_t row =
              weight_row(ic, weight_tap(op.window, op.is_rotated, kh, kw), op.window, group);
          sum += int64_t{value} * (op.weight.read(memory, 0, oc, row, ic % group) - zero_point);
        });
  return op.accumulate ? sum + memory.read(op.out, n, oc, y, x) : sum;
}

void execute(const Conv2dBm1684xInt8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    const int32_t acc = wrap32(accumulator_at(op, memory, n, oc, y, x));
    memory.write(op.out, n, oc, y, x,
                 is_32bit(op.out.dtype)
                     ? acc
                     : quantized(acc, op.relu, op.rshift, Rounding::half_up, op.out.dtype));
  });
}

}  // namespace tputwin

// depthwise2d_bm1684x_int8: contract, cost and reference kernel.
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Depthwise2dBm1684xInt8&) { return "depthwise2d_quant"; }

void attributes(const Depthwise2dBm1684xInt8& op, AttributeSink& to) {
  to.window(op.window);
  to.constant("weight", op.weight);
  outside_attributes(op, to);
  to.parameter("padding", op.padding);
  to.parameter("insertion", op.insertion);
  to.flag("turned", op.is_rotated);
  to.flag("relu", op.relu);
  to.number("rshift", op.rshift);
  to.word("rounding", to_string(op.rounding));
}

OperandList operands(const Depthwise2dBm1684xInt8& op) {
  OperandList list = filter_operands(op, kFilterAddresses);
  add_source(list, "pad_addr", op.padding);
  add_source(list, "pad_addr", op.insertion);
  return list;
}

namespace {

Status check_types(const Depthwise2dBm1684xInt8& op) {
  const DType out = op.out.dtype;
  TW_RETURN_IF_ERROR(check_bm1684x_int8_filter(op.in, op.weight, op.out));
  TW_RETURN_IF_ERROR(
      require(!op.relu || out == DType::u8, errors::tpu_relu_type, "output_dtype", op.out));
  if (op.bias)
    TW_RETURN_IF_ERROR(require(op.bias->dtype == DType::i32 || op.bias->dtype == DType::u32,
                               errors::tpu_dtype, "bias_dtype", *op.bias));
  return require(op.rshift < 32, errors::tpu_rshift, "rshift", op.rshift);
}

}  // namespace

Status check(const Depthwise2dBm1684xInt8& op, const Chip& chip) {
  const uint32_t channels = op.in.shape.c;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_operand("input_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_start("input_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(check_types(op));
  TW_RETURN_IF_ERROR(check_bm1684x_window(op.window, op.in, op.out, channels, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_depthwise2d_weight(
      op.weight, depthwise_weight_shape(op.in, op.window), op.out, chip));
  if (op.bias)
    TW_RETURN_IF_ERROR(check_bm1684x_channels("bias_addr", *op.bias, channels, op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_parameter("pad_addr", op.padding, channels, op.out, chip));
  return check_bm1684x_parameter("pad_addr", op.insertion, channels, op.out, chip);
}

Cost cost(const Depthwise2dBm1684xInt8& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * taps,
                      op.out.shape.count() * taps, operands(op), chip);
}

int64_t bias_at(const Depthwise2dBm1684xInt8& op, const Memory& memory, uint32_t c) {
  return op.bias ? integer_value(memory.read(*op.bias, 0, c, 0, 0), op.bias->dtype)
                 : op.constant_bias;
}

int64_t accumulator_at(const Depthwise2dBm1684xInt8& op, const Memory& memory, uint32_t n,
                       uint32_t c, uint32_t y, uint32_t x) {
  int64_t sum = bias_at(op, memory, c);
  for_each_tap(op.window, op.in.shape, y, x,
               [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t iy, uint32_t ix) {
                 const Source& outside = tap == TapKind::padding ? op.padding : op.insertion;
                 const int32_t value = tap == TapKind::inside ? memory.read(op.in, n, c, iy, ix)
                                                              : outside.read(memory, 0, c, 0, 0);
                 const auto at = weight_place(op.window, op.is_rotated, kh, kw);
                 sum += int64_t{value} * op.weight.read(memory, 0, c, at.h, at.w);
               });
  return sum;
}

void execute(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    const int64_t acc = accumulator_at(op, memory, n, c, y, x);
    memory.write(op.out, n, c, y, x, quantized(acc, op.relu, op.rshift, op.rounding, op.out.dtype));
  });
}

}  // namespace tputwin

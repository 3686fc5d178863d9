// pool2d_bm1684x_int8: contract, cost and reference kernel.
#include "ops/pool/pool2d_bm1684x_int8.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Pool2dBm1684xInt8& op) {
  return op.kind == Pool2dBm1684xInt8::Kind::maximum ? "max_pool2d_quant" : "avg_pool2d_quant";
}

void attributes(const Pool2dBm1684xInt8& op, AttributeSink& to) {
  to.window(op.window);
  const bool is_maximum = op.kind == Pool2dBm1684xInt8::Kind::maximum;
  if (is_maximum || op.padding != 0) to.number("padding", op.padding);
  if (op.insertion != 0) to.number("insertion", op.insertion);
  if (is_maximum) return;
  to.number("multiplier", op.multiplier);
  to.number("rshift", op.rshift);
}

OperandList operands(const Pool2dBm1684xInt8& op) {
  return {{"output_addr", &op.out, Access::write}, {"input_addr", &op.in, Access::read}};
}

Status check(const Pool2dBm1684xInt8& op, const Chip& chip) {
  const DType in = op.in.dtype, out = op.out.dtype;
  const bool is_average = op.kind == Pool2dBm1684xInt8::Kind::average;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_operand("input_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_start("input_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(
      require(in == DType::u8 || in == DType::i8, errors::tpu_dtype, "input_dtype", op.in));
  TW_RETURN_IF_ERROR(require(!is_float(out) && out != DType::b32 &&
                                 is_signed(in) == is_signed(out) && (is_average || in == out),
                             errors::tpu_dtype_pair, "output_dtype", op.out));
  TW_RETURN_IF_ERROR(check_bm1684x_window(op.window, op.in, op.out, op.in.shape.c, chip));
  return require(op.rshift < 32, errors::tpu_rshift, "rshift", op.rshift);
}

Cost cost(const Pool2dBm1684xInt8& op, const Chip& chip) {
  const uint64_t steps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * steps,
                      op.out.shape.count() * steps, operands(op), chip);
}

void execute(const Pool2dBm1684xInt8& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    int64_t sum = 0;
    int32_t largest = INT32_MIN;
    for_each_tap(op.window, op.in.shape, y, x,
                 [&](uint32_t, uint32_t, TapKind tap, uint32_t iy, uint32_t ix) {
                   const int32_t value = tap == TapKind::inside ? memory.read(op.in, n, c, iy, ix)
                                         : tap == TapKind::padding ? op.padding
                                                                   : op.insertion;
                   sum += value;
                   largest = std::max(largest, value);
                 });
    const int32_t average =
        quantized(sum * op.multiplier, /*relu=*/false, op.rshift, Rounding::half_up, op.out.dtype);
    memory.write(op.out, n, c, y, x,
                 op.kind == Pool2dBm1684xInt8::Kind::maximum ? largest : average);
  });
}

}  // namespace tputwin

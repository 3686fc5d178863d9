// depthwise2d_bm1880: contract, cost and reference kernel.
#include "ops/conv/depthwise2d_bm1880.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {

std::string_view name(const Depthwise2dBm1880&) { return "depthwise"; }

void attributes(const Depthwise2dBm1880& op, AttributeSink& to) {
  to.window(op.window);
  to.number("rshift", op.rshift);
}

OperandList operands(const Depthwise2dBm1880& op) { return filter_operands(op, kBm1880Filter); }

Status check(const Depthwise2dBm1880& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.in.shape.c;
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1880_operand("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_8bit("weight", op.weight));
  TW_RETURN_IF_ERROR(check_bm1880_window(op.window, op.in.shape, chip));
  TW_RETURN_IF_ERROR(require(h.dilation == 1, errors::ops_no_dilation, "window", h));
  TW_RETURN_IF_ERROR(require(w.dilation == 1, errors::ops_no_dilation, "window", w));
  TW_RETURN_IF_ERROR(check_shape("weight", op.weight, {1, channels, h.kernel, w.kernel},
                                 errors::ops_weight_shape));
  TW_RETURN_IF_ERROR(check_bm1880_aligned_strides("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_bias(op.bias, channels, chip));
  TW_RETURN_IF_ERROR(check_bm1880_output(op.out, op.in.shape, channels, op.window));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  TW_RETURN_IF_ERROR(advise_bm1880_aligned_start("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(advise_bm1880_start_lane("ifmap", op.in, op.out, chip));
  return advise_bm1880_start_lane("weight", op.weight, op.out, chip);
}

Cost cost(const Depthwise2dBm1880& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.weight.shape.h} * op.weight.shape.w;
  return compute_cost(lane_passes(op.out.shape, chip) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

void execute(const Depthwise2dBm1880& op, const Memory& memory) {
  const Shape& in = op.in.shape;
  // The descriptor has no sign bits for weight and bias: both are signed.
  TensorView weight = as(op.weight, DType::i8);
  std::optional<TensorView> bias;
  if (op.bias) bias = as(*op.bias, DType::i16);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    int64_t sum = 0;
    for (uint32_t kh = 0; kh < weight.shape.h; ++kh)
      for (uint32_t kw = 0; kw < weight.shape.w; ++kw) {
        int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
        if (iy < 0 || ix < 0) continue;
        sum += memory.read(op.in, n, c, iy, ix) * memory.read(weight, 0, c, kh, kw);
      }
    memory.write(op.out, n, c, y, x,
                 requantize(sum, bias_of(bias, memory, c), /*relu=*/false, op.rshift));
  });
}

}  // namespace tputwin

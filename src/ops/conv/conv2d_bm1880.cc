// conv2d_bm1880: contract, cost and reference kernel.
#include "ops/conv/conv2d_bm1880.h"

#include "base/errors/ops.h"
#include "memory/layout.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {

std::string_view name(const Conv2dBm1880&) { return "conv"; }

void attributes(const Conv2dBm1880& op, AttributeSink& to) {
  to.window(op.window);
  to.flag("relu", op.relu);
  to.number("rshift", op.rshift);
}

OperandList operands(const Conv2dBm1880& op) { return filter_operands(op, kBm1880Filter); }

Status check(const Conv2dBm1880& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1880_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1880_operand("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_8bit("weight", op.weight));
  TW_RETURN_IF_ERROR(check_bm1880_window(op.window, op.in.shape, chip));
  TW_RETURN_IF_ERROR(check_shape(
      "weight", op.weight, {op.in.shape.c, op.out.shape.c, op.window.h.kernel, op.window.w.kernel},
      errors::ops_weight_shape));
  TW_RETURN_IF_ERROR(check_bm1880_layout("weight", op.weight, conv_weight_stride(op.weight.shape)));
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bm1880_bias(op.bias, op.out.shape.c, chip));
  TW_RETURN_IF_ERROR(check_bm1880_output(op.out, op.in.shape, op.out.shape.c, op.window));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  return advise_bm1880_start_lane("weight", op.weight, op.out, chip);
}

// Every lane multiplies one input element per cycle for each of its 16 output positions.
Cost cost(const Conv2dBm1880& op, const Chip& chip) {
  const Shape& w = op.weight.shape;
  const uint64_t taps = uint64_t{w.n} * w.h * w.w;
  return compute_cost(lane_passes(op.out.shape, chip) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

void execute(const Conv2dBm1880& op, const Memory& memory) {
  const Shape& in = op.in.shape;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    int64_t sum = 0;
    for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
      for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
        int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
        if (iy < 0 || ix < 0) continue;
        for (uint32_t ic = 0; ic < in.c; ++ic)
          sum += memory.read(op.in, n, ic, iy, ix) * memory.read(op.weight, ic, oc, kh, kw);
      }
    memory.write(op.out, n, oc, y, x,
                 requantize(sum, bias_of(op.bias, memory, oc), op.relu, op.rshift));
  });
}

}  // namespace tputwin

#include "ops/conv2d.h"

#include "base/errors/ops.h"
#include "numerics/accumulate.h"
#include "ops/checks.h"
#include "ops/elements.h"
#include "ops/okk_window.h"
#include "ops/timing.h"

namespace tputwin {

std::string_view name(const Conv2d&) { return "conv"; }

OperandList operands(const Conv2d& op) {
  OperandList list{{"ofmap", &op.out, Access::write},
                   {"ifmap", &op.in, Access::read},
                   {"weight", &op.weight, Access::read}};
  if (op.bias) list.push_back({"bias", &*op.bias, Access::read});
  return list;
}

Footprint footprint(const Conv2d& op, const Chip& chip) { return footprint_of(operands(op), chip); }

Status check(const Conv2d& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_operand("weight", op.weight));
  TW_RETURN_IF_ERROR(check_8bit("weight", op.weight));
  TW_RETURN_IF_ERROR(check_window(op.window, op.in.shape));
  TW_RETURN_IF_ERROR(check_shape(
      "weight", op.weight, {op.in.shape.c, op.out.shape.c, op.window.h.kernel, op.window.w.kernel},
      errors::ops_weight_shape));
  TW_RETURN_IF_ERROR(check_layout("weight", op.weight, conv_weight_stride(op.weight.shape)));
  TW_RETURN_IF_ERROR(check_lane_zero("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bias(op.bias, op.out.shape.c, chip));
  TW_RETURN_IF_ERROR(check_output(op.out, op.in.shape, op.out.shape.c, op.window));
  TW_RETURN_IF_ERROR(check_rshift(op.rshift));
  return advise_start_lane("weight", op.weight, op.out, chip);
}

// Every lane multiplies one input element a cycle into each of its 16 output positions.
Cost cost(const Conv2d& op, const Chip& chip) {
  const Shape& w = op.weight.shape;
  const uint64_t taps = uint64_t{w.n} * w.h * w.w;
  return compute_cost(lane_passes(op.out.shape, chip) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

void execute(const Conv2d& op, const Memory& memory) {
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
                 requantise(sum, bias_of(op.bias, memory, oc), op.relu, op.rshift));
  });
}

std::string_view name(const Conv2dF32&) { return "conv_f32"; }

OperandList operands(const Conv2dF32& op) {
  OperandList list{{"output_addr", &op.out, op.accumulate ? Access::read_write : Access::write},
                   {"input_addr", &op.in, Access::read},
                   {"weight_addr", &op.weight, Access::read}};
  if (op.bias) list.push_back({"bias_addr", &*op.bias, Access::read});
  return list;
}

Status check(const Conv2dF32& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.out.shape.c;
  TW_RETURN_IF_ERROR(check_bdc_operand("output_addr", op.out, 128));
  TW_RETURN_IF_ERROR(check_bdc_operand("input_addr", op.in));
  TW_RETURN_IF_ERROR(check_bdc_address("weight_addr", op.weight, 8));
  TW_RETURN_IF_ERROR(check_bdc_element("weight_addr", op.weight, 4, /*pack=*/2));
  TW_RETURN_IF_ERROR(check_bdc_window(op.window, op.in, op.out, channels));
  TW_RETURN_IF_ERROR(
      check_bdc_shape("weight_addr", op.weight, {op.in.shape.c, channels, h.kernel, w.kernel}));
  TW_RETURN_IF_ERROR(check_apart_from_input(op.out, op.in, chip));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bdc_operand("bias_addr", *op.bias));
    TW_RETURN_IF_ERROR(check_bdc_shape("bias_addr", *op.bias, {1, channels, 1, 1}));
    TW_RETURN_IF_ERROR(advise_same_npu("bias_addr", *op.bias, op.out, chip));
  }
  TW_RETURN_IF_ERROR(advise_same_npu("weight_addr", op.weight, op.out, chip));
  TW_RETURN_IF_ERROR(advise_bdc_window(op.window, op.in.shape));
  return advise_apart(operands(op), chip);
}

// Every unit of a lane multiplies one input element a cycle into its output position.
Cost cost(const Conv2dF32& op, const Chip& chip) {
  const Shape& w = op.weight.shape;
  const uint64_t taps = uint64_t{w.n} * w.h * w.w;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

float result_at(const Conv2dF32& op, const Memory& memory, uint32_t n, uint32_t oc, uint32_t y,
                uint32_t x) {
  const Shape& in = op.in.shape;
  ChannelPairSum products;
  for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
      const int64_t iy = op.window.h.source(y, kh, in.h), ix = op.window.w.source(x, kw, in.w);
      const bool inside = iy >= 0 && ix >= 0;
      for (uint32_t ic = 0; ic < in.c; ++ic)
        products.add(ic, inside ? memory.read_f32(op.in, n, ic, iy, ix) : 0.0f,
                     memory.read_f32(op.weight, ic, oc, kh, kw));
      products.end_tap(in.c);
    }
  return finish_f32(op.out, op.bias, op.accumulate, memory, n, oc, y, x, products.total());
}

void execute(const Conv2dF32& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, oc, y, x, result_at(op, memory, n, oc, y, x));
  });
}

}  // namespace tputwin

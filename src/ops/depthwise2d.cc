#include "ops/depthwise2d.h"

#include "base/errors/ops.h"
#include "numerics/accumulate.h"
#include "ops/checks.h"
#include "ops/elements.h"
#include "ops/okk_window.h"
#include "ops/timing.h"

namespace tputwin {

std::string_view name(const Depthwise2d&) { return "depthwise"; }

OperandList operands(const Depthwise2d& op) {
  OperandList list{{"ofmap", &op.out, Access::write},
                   {"ifmap", &op.in, Access::read},
                   {"weight", &op.weight, Access::read}};
  if (op.bias) list.push_back({"bias", &*op.bias, Access::read});
  return list;
}

Footprint footprint(const Depthwise2d& op, const Chip& chip) {
  return footprint_of(operands(op), chip);
}

Status check(const Depthwise2d& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.in.shape.c;
  TW_RETURN_IF_ERROR(check_feature_map("ifmap", op.in, chip));
  TW_RETURN_IF_ERROR(check_feature_map("ofmap", op.out, chip));
  TW_RETURN_IF_ERROR(check_operand("weight", op.weight));
  TW_RETURN_IF_ERROR(check_8bit("weight", op.weight));
  TW_RETURN_IF_ERROR(check_window(op.window, op.in.shape));
  TW_RETURN_IF_ERROR(require(h.dilation == 1, errors::ops_no_dilation, "window", h));
  TW_RETURN_IF_ERROR(require(w.dilation == 1, errors::ops_no_dilation, "window", w));
  TW_RETURN_IF_ERROR(check_shape("weight", op.weight, {1, channels, h.kernel, w.kernel},
                                 errors::ops_weight_shape));
  TW_RETURN_IF_ERROR(check_aligned_strides("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_lane_zero("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(check_bias(op.bias, channels, chip));
  TW_RETURN_IF_ERROR(check_output(op.out, op.in.shape, channels, op.window));
  TW_RETURN_IF_ERROR(check_rshift(op.rshift));
  TW_RETURN_IF_ERROR(advise_aligned_start("weight", op.weight, chip));
  TW_RETURN_IF_ERROR(advise_start_lane("ifmap", op.in, op.out, chip));
  return advise_start_lane("weight", op.weight, op.out, chip);
}

Cost cost(const Depthwise2d& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.weight.shape.h} * op.weight.shape.w;
  return compute_cost(lane_passes(op.out.shape, chip) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

void execute(const Depthwise2d& op, const Memory& memory) {
  const Shape& in = op.in.shape;
  // the descriptor has no sign of weight and bias: both are signed
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
                 requantise(sum, bias_of(bias, memory, c), /*relu=*/false, op.rshift));
  });
}

std::string_view name(const Depthwise2dF32&) { return "depthwise_f32"; }

OperandList operands(const Depthwise2dF32& op) {
  OperandList list{{"output_addr", &op.out, Access::write},
                   {"input_addr", &op.in, Access::read},
                   {"weight_addr", &op.weight, Access::read}};
  if (op.bias) list.push_back({"bias_addr", &*op.bias, Access::read});
  return list;
}

Status check(const Depthwise2dF32& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.in.shape.c;
  TW_RETURN_IF_ERROR(check_bdc_operand("output_addr", op.out, 128));
  TW_RETURN_IF_ERROR(check_bdc_operand("input_addr", op.in, 128));
  TW_RETURN_IF_ERROR(check_bdc_address("weight_addr", op.weight, 4));
  TW_RETURN_IF_ERROR(check_bdc_window(op.window, op.in, op.out, channels));
  TW_RETURN_IF_ERROR(check_bdc_shape("weight_addr", op.weight, {1, channels, h.kernel, w.kernel}));
  TW_RETURN_IF_ERROR(check_same_npu("input_addr", op.in, op.out, chip));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bdc_operand("bias_addr", *op.bias));
    TW_RETURN_IF_ERROR(check_bdc_shape("bias_addr", *op.bias, {1, channels, 1, 1}));
    TW_RETURN_IF_ERROR(advise_same_npu("bias_addr", *op.bias, op.out, chip));
  }
  TW_RETURN_IF_ERROR(advise_same_npu("weight_addr", op.weight, op.out, chip));
  TW_RETURN_IF_ERROR(advise_bdc_window(op.window, op.in.shape));
  return advise_apart(operands(op), chip);
}

Cost cost(const Depthwise2dF32& op, const Chip& chip) {
  const uint64_t taps = uint64_t{op.weight.shape.h} * op.weight.shape.w;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

float result_at(const Depthwise2dF32& op, const Memory& memory, uint32_t n, uint32_t c, uint32_t y,
                uint32_t x) {
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

void execute(const Depthwise2dF32& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, c, y, x, result_at(op, memory, n, c, y, x));
  });
}

}  // namespace tputwin

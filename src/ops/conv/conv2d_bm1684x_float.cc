// conv2d_bm1684x_float: contract, cost and reference kernel.
#include <array>

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "numerics/add_tree.h"
#include "numerics/rounded_sum.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin {

std::string_view name(const Conv2dBm1684xFloat&) { return "conv2d_float"; }

void attributes(const Conv2dBm1684xFloat& op, AttributeSink& to) {
  to.window(op.window);
  to.constant("weight", op.weight);
  outside_attributes(op, to);
  to.flag("turned", op.is_rotated);
  to.flag("accumulate", op.accumulate);
}

OperandList operands(const Conv2dBm1684xFloat& op) { return filter_operands(op, kFilterAddresses); }

Status check(const Conv2dBm1684xFloat& op, const Chip& chip) {
  const DType dtype = op.in.dtype;
  const uint32_t channels = op.out.shape.c;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_conv2d_input(op.in, chip));
  TW_RETURN_IF_ERROR(require(is_float(dtype), errors::tpu_dtype, "input_dtype", op.in));
  TW_RETURN_IF_ERROR(require(op.out.dtype == dtype || op.out.dtype == DType::f32,
                             errors::tpu_dtype_pair, "output_dtype", op.out));
  TW_RETURN_IF_ERROR(require(!op.accumulate || op.out.dtype == DType::f32, errors::tpu_result_add,
                             "result_add", op.out));
  TW_RETURN_IF_ERROR(check_bm1684x_window(op.window, op.in, op.out, channels, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_conv2d_weight(
      op.weight, weight_shape(op.in.shape.c, channels, op.window, dtype), chip));
  TW_RETURN_IF_ERROR(
      require(op.weight.view.dtype == dtype, errors::tpu_element, "weight_addr", op.weight.view));
  if (op.bias) {
    TW_RETURN_IF_ERROR(check_bm1684x_channels_anywhere("bias_addr", *op.bias, channels, chip));
    TW_RETURN_IF_ERROR(
        require(op.bias->dtype == DType::f32, errors::tpu_element, "bias_addr", *op.bias));
  }
  return {};
}

// A unit multiplies one or several channels of its output position in a cycle.
Cost cost(const Conv2dBm1684xFloat& op, const Chip& chip) {
  const uint64_t ic = op.in.shape.c, taps = taps_of(op.window);
  const uint64_t steps = ceil_div(ic, uint64_t{channels_a_cycle(op.in.dtype)}) * taps;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * steps, op.out.shape.count() * ic * taps,
                      operands(op), chip);
}

namespace {

// Start values of a result; `old` is 0 without an old value.
struct Starts {
  float bias, old;
};

Starts starts_of(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t oc,
                 uint32_t y, uint32_t x) {
  return {op.bias ? memory.read_f32(*op.bias, 0, oc, 0, 0) : f32::from_bits(op.constant_bias),
          op.accumulate ? memory.read_f32(op.out, n, oc, y, x) : 0.0f};
}

float weight_at(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t oc, uint32_t ic,
                uint32_t tap) {
  const uint32_t group = weight_group(op.in.dtype);
  return read_float(memory, op.weight, 0, oc, weight_row(ic, tap, op.window, group), ic % group);
}

float alternating(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t oc,
                  uint32_t y, uint32_t x) {
  const auto [bias, old] = starts_of(op, memory, n, oc, y, x);
  const auto sides = op.accumulate ? std::pair(bias, old) : std::pair(0.0f, bias);
  RoundedSum sum(DType::f32, sides.first, sides.second);
  for (uint32_t ic = 0; ic < op.in.shape.c; ++ic)
    for_each_tap(
        op.window, op.in.shape, y, x,
        [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t iy, uint32_t ix) {
          const float value = tap == TapKind::inside ? memory.read_f32(op.in, n, ic, iy, ix)
                                                     : float_outside(op, tap);
          // The weight is the first operand: if both are NaN, its NaN is the result.
          sum.add(weight_at(op, memory, oc, ic, weight_tap(op.window, op.is_rotated, kh, kw)),
                  value);
        });
  return op.accumulate ? sum.total_first_first() : sum.total();
}

float grouped(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t oc,
              uint32_t y, uint32_t x) {
  const auto [bias, old] = starts_of(op, memory, n, oc, y, x);
  float sum = op.accumulate ? f32::add(bias, old) : bias;
  std::array<float, kAddTreeGroup> products;
  for (uint32_t first = 0; first < op.in.shape.c; first += kAddTreeGroup) {
    const uint32_t count = std::min(kAddTreeGroup, op.in.shape.c - first);
    for_each_tap(op.window, op.in.shape, y, x,
                 [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t iy, uint32_t ix) {
                   for (uint32_t i = 0; i < count; ++i) {
                     const float value = tap == TapKind::inside
                                             ? read_float(memory, op.in, n, first + i, iy, ix)
                                             : float_outside(op, tap);
                     products[i] =
                         f32::mul(value, weight_at(op, memory, oc, first + i,
                                                   weight_tap(op.window, op.is_rotated, kh, kw)));
                   }
                   sum = f32::add(sum, add_tree(std::span(products).first(count)));
                 });
  }
  return sum;
}

}  // namespace

float result_at(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t n, uint32_t oc,
                uint32_t y, uint32_t x) {
  return op.in.dtype == DType::f32 ? alternating(op, memory, n, oc, y, x)
                                   : grouped(op, memory, n, oc, y, x);
}

void execute(const Conv2dBm1684xFloat& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    write_float(memory, op.out, n, oc, y, x, result_at(op, memory, n, oc, y, x));
  });
}

}  // namespace tputwin

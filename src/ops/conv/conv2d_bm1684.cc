// conv2d_bm1684: contract, cost and reference kernel.
#include "ops/conv/conv2d_bm1684.h"

#include "base/errors/okkernel.h"
#include "numerics/accumulate.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_window.h"

namespace tputwin {

std::string_view name(const Conv2dBm1684&) { return "conv_f32"; }

void attributes(const Conv2dBm1684& op, AttributeSink& to) {
  to.window(op.window);
  if (op.constant_weight) to.bits("weight", *op.constant_weight);
  to.flag("turned", op.is_rotated);
  to.flag("accumulate", op.accumulate);
}

OperandList operands(const Conv2dBm1684& op) { return filter_operands(op, kFilterAddresses); }

Status check(const Conv2dBm1684& op, const Chip& chip) {
  const Axis &h = op.window.h, &w = op.window.w;
  const uint32_t channels = op.out.shape.c;
  TW_RETURN_IF_ERROR(check_bm1684_operand("output_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684_operand("input_addr", op.in, chip));
  if (!op.constant_weight) {
    TW_RETURN_IF_ERROR(check_bm1684_address("weight_addr", op.weight, 8));
    TW_RETURN_IF_ERROR(check_bm1684_element("weight_addr", op.weight, 4, /*pack=*/2));
  }
  TW_RETURN_IF_ERROR(
      check_bm1684_window(op.window, op.in, op.out, channels, chip, Insertion::allowed));
  TW_RETURN_IF_ERROR(
      check_bm1684_shape("weight_addr", op.weight, {op.in.shape.c, channels, h.kernel, w.kernel}));
  return check_bm1684_filter_end(op, chip);
}

// Every unit of a lane multiplies one input element per cycle for its output position.
Cost cost(const Conv2dBm1684& op, const Chip& chip) {
  const Shape& w = op.weight.shape;
  const uint64_t taps = uint64_t{w.n} * w.h * w.w;
  return compute_cost(lane_passes(op.out.shape, chip, 4) * taps, op.out.shape.count() * taps,
                      operands(op), chip);
}

float result_at(const Conv2dBm1684& op, const Memory& memory, uint32_t n, uint32_t oc, uint32_t y,
                uint32_t x) {
  const Shape& in = op.in.shape;
  const ResultPlace place = place_in_window(op.window, in, op.out.shape, y, x);
  const auto weight = [&](uint32_t ic, const WeightPlace& at) {
    return op.constant_weight ? f32::from_bits(*op.constant_weight)
                              : memory.read_f32(op.weight, ic, oc, at.h, at.w);
  };
  ChannelPairSum products;
  for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
      const int64_t iy = op.window.h.source(place.y, kh, in.h);
      const int64_t ix = op.window.w.source(place.x, kw, in.w);
      const bool inside = iy >= 0 && ix >= 0;
      const WeightPlace at = weight_place(op.window, op.is_rotated, kh, kw);
      for (uint32_t ic = 0; ic < in.c; ++ic)
        products.add(ic, inside ? memory.read_f32(op.in, n, ic, iy, ix) : 0.0f, weight(ic, at));
      products.end_tap(in.c);
    }
  return finish_f32(op.out, op.bias, op.accumulate, memory, n, oc, y, x, products.total());
}

void execute(const Conv2dBm1684& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    memory.write_f32(op.out, n, oc, y, x, result_at(op, memory, n, oc, y, x));
  });
}

}  // namespace tputwin

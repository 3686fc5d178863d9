// conv2d_bm1684_int8: contract, cost and reference kernel.
#include "ops/conv/conv2d_bm1684_int8.h"

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/filter_operands.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684_bytes.h"

namespace tputwin {

std::string_view name(const Conv2dBm1684Int8&) { return "conv_int8"; }

void attributes(const Conv2dBm1684Int8& op, AttributeSink& to) {
  to.window(op.window);
  if (op.constant_weight) to.number("weight", *op.constant_weight);
  to.flag("turned", op.is_rotated);
  to.number("rshift", op.rshift);
}

OperandList operands(const Conv2dBm1684Int8& op) { return filter_operands(op, kFilterAddresses); }

Status check(const Conv2dBm1684Int8& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_byte_sides(op.out, op.in, chip));
  TW_RETURN_IF_ERROR(
      check_bm1684_window(op.window, op.in, op.out, op.out.shape.c, chip, Insertion::allowed));
  if (!op.constant_weight)
    TW_RETURN_IF_ERROR(check_bm1684_bytes("weight_addr", op.weight, chip, /*pack=*/4));
  TW_RETURN_IF_ERROR(
      check_bm1684_shape("weight_addr", op.weight,
                         {op.in.shape.c, op.out.shape.c, op.window.h.kernel, op.window.w.kernel}));
  return check_bm1684_byte_filter_end(op, chip);
}

Cost cost(const Conv2dBm1684Int8& op, const Chip& chip) {
  // two input channels in a cycle are the published peak of 17.6 TOPS
  constexpr uint64_t kChannels = 2;
  const Shape& w = op.weight.shape;
  const uint64_t taps = uint64_t{w.h} * w.w;
  return compute_cost(lane_passes(op.out.shape, chip) * ceil_div(uint64_t{w.n}, kChannels) * taps,
                      op.out.shape.count() * w.n * taps, operands(op), chip);
}

void execute(const Conv2dBm1684Int8& op, const Memory& memory) {
  const Shape& in = op.in.shape;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
    const ResultPlace place = place_in_window(op.window, in, op.out.shape, y, x);
    const auto weight = [&](uint32_t ic, const WeightPlace& at) {
      return op.constant_weight ? *op.constant_weight : memory.read(op.weight, ic, oc, at.h, at.w);
    };
    int64_t sum = bias_of(op.bias, memory, oc);
    for_each_tap(op.window, in, place.y, place.x,
                 [&](uint32_t kh, uint32_t kw, TapKind kind, uint32_t iy, uint32_t ix) {
                   if (kind != TapKind::inside) return;
                   const WeightPlace at = weight_place(op.window, op.is_rotated, kh, kw);
                   for (uint32_t ic = 0; ic < in.c; ++ic)
                     sum += int64_t{memory.read(op.in, n, ic, iy, ix)} * weight(ic, at);
                 });
    memory.write(op.out, n, oc, y, x, saturate(round_shift(sum, op.rshift), op.out.dtype));
  });
}

}  // namespace tputwin

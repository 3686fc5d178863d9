// Formulas of floating-point convolutions, in the chips' orders of additions.
#include <algorithm>

#include "insight/explain/float_sums.h"
#include "insight/explain/formulas.h"
#include "numerics/add_tree.h"
#include "ops/contract/kernel_steps.h"
#include "ops/conv/outside_bm1684x.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::explain {
namespace {

// The source of a tap of a BM1684 window. Its value is 0 outside the input.
struct Tap {
  bool inside;
  uint32_t y, x;
  std::string name(uint32_t n, uint32_t c) const {
    return inside ? place("in", n, c, y, x) : "padding";
  }
  float value(const Memory& memory, const TensorView& in, uint32_t n, uint32_t c) const {
    return inside ? memory.read_f32(in, n, c, y, x) : 0.0f;
  }
};
Tap tap_of(const Window& window, const Shape& in, const Shape& at, uint32_t kh, uint32_t kw) {
  const int64_t y = window.h.source(at.h, kh, in.h), x = window.w.source(at.w, kw, in.w);
  return {y >= 0 && x >= 0, static_cast<uint32_t>(y), static_cast<uint32_t>(x)};
}

int32_t end_of_bm1684(const TensorView& out, const std::optional<TensorView>& bias, bool accumulate,
                      const Memory& memory, const Shape& at, float sum, Paper& paper) {
  if (bias) sum = added(paper, "bias", sum, memory.read_f32(*bias, 0, at.c, 0, 0));
  if (accumulate)
    sum = added(paper, "old result", sum, memory.read_f32(out, at.n, at.c, at.h, at.w));
  return static_cast<int32_t>(f32::bits(sum));
}

struct Starts {
  float bias, old;
};
Starts starts_of(const Conv2dBm1684xFloat& op, const Memory& memory, const Shape& at,
                 Paper& paper) {
  const Starts starts{
      op.bias ? memory.read_f32(*op.bias, 0, at.c, 0, 0) : f32::from_bits(op.constant_bias),
      op.accumulate ? memory.read_f32(op.out, at.n, at.c, at.h, at.w) : 0.0f};
  paper.line("bias {}", starts.bias);
  if (op.accumulate) paper.line("old result {}", starts.old);
  return starts;
}

struct Weight {
  std::string name;
  float value;
};
Weight weight_at(const Conv2dBm1684xFloat& op, const Memory& memory, uint32_t oc, uint32_t ic,
                 uint32_t kh, uint32_t kw) {
  const uint32_t group = weight_group(op.in.dtype);
  const uint32_t row =
      weight_row(ic, weight_tap(op.window, op.is_rotated, kh, kw), op.window, group);
  return {place("weight", 0, oc, row, ic % group),
          read_float(memory, op.weight, 0, oc, row, ic % group)};
}

float alternating(const Conv2dBm1684xFloat& op, const Memory& memory, const Shape& at,
                  Paper& paper) {
  const auto [bias, old] = starts_of(op, memory, at, paper);
  AlternatingTerms sum(paper, DType::f32, op.accumulate ? bias : 0.0f, op.accumulate ? old : bias);
  for (uint32_t ic = 0; ic < op.in.shape.c; ++ic)
    for_each_tap(op.window, op.in.shape, at.h, at.w,
                 [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t y, uint32_t x) {
                   const Weight weight = weight_at(op, memory, at.c, ic, kh, kw);
                   sum.add(weight.name, weight.value, place_of_tap(tap, at.n, ic, y, x),
                           tap == TapKind::inside ? memory.read_f32(op.in, at.n, ic, y, x)
                                                  : float_outside(op, tap));
                 });
  return op.accumulate ? sum.total() : sum.total_second_first();
}

// For fp16/bf16: the products of 32 channels are summed at once.
float grouped(const Conv2dBm1684xFloat& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [bias, old] = starts_of(op, memory, at, paper);
  float sum = op.accumulate ? f32::add(bias, old) : bias;
  std::array<float, kAddTreeGroup> products;
  for (uint32_t first = 0; first < op.in.shape.c; first += kAddTreeGroup) {
    const uint32_t count = std::min(kAddTreeGroup, op.in.shape.c - first);
    for_each_tap(op.window, op.in.shape, at.h, at.w,
                 [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t y, uint32_t x) {
                   for (uint32_t i = 0; i < count; ++i) {
                     const float value = tap == TapKind::inside
                                             ? read_float(memory, op.in, at.n, first + i, y, x)
                                             : float_outside(op, tap);
                     const Weight weight = weight_at(op, memory, at.c, first + i, kh, kw);
                     products[i] = f32::mul(value, weight.value);
                     paper.line("{} {} * {} {} = {}", place_of_tap(tap, at.n, first + i, y, x),
                                value, weight.name, weight.value, products[i]);
                   }
                   const float tree = add_tree(std::span(products).first(count));
                   sum = f32::add(sum, tree);
                   paper.line("these {} at once = {}; sum {}", count, tree, sum);
                 });
  }
  return sum;
}

}  // namespace

int32_t formula(const Conv2dBm1684& op, const Memory& memory, const Shape& at, Paper& paper) {
  AlternatingTerms even(paper, DType::f32, 0, 0, "even "), odd(paper, DType::f32, 0, 0, "odd ");
  const ResultPlace result = place_in_window(op.window, op.in.shape, op.out.shape, at.h, at.w);
  const auto weight = [&](uint32_t ic, const WeightPlace& from) -> Weight {
    if (op.constant_weight) return {"weight", f32::from_bits(*op.constant_weight)};
    return {place("weight", ic, at.c, from.h, from.w),
            memory.read_f32(op.weight, ic, at.c, from.h, from.w)};
  };
  for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
      const Tap tap = tap_of(op.window, op.in.shape, {at.n, at.c, result.y, result.x}, kh, kw);
      const WeightPlace from = weight_place(op.window, op.is_rotated, kh, kw);
      for (uint32_t ic = 0; ic < op.in.shape.c; ++ic) {
        const Weight factor = weight(ic, from);
        (ic % 2 == 0 ? even : odd)
            .add(tap.name(at.n, ic), tap.value(memory, op.in, at.n, ic), factor.name, factor.value);
      }
      if (op.in.shape.c % 2 != 0) odd.skip();
    }
  const float first = even.total_second_first(), second = odd.total_second_first();
  const float sum = f32::add(first, second);
  paper.line("even + odd = {}", sum);
  return end_of_bm1684(op.out, op.bias, op.accumulate, memory, at, sum, paper);
}

int32_t formula(const Depthwise2dBm1684& op, const Memory& memory, const Shape& at, Paper& paper) {
  AlternatingTerms sum(paper, DType::f32, 0, 0);
  float single = 0;
  for (uint32_t kh = 0; kh < op.weight.shape.h; ++kh)
    for (uint32_t kw = 0; kw < op.weight.shape.w; ++kw) {
      const Tap tap = tap_of(op.window, op.in.shape, at, kh, kw);
      const float value = tap.value(memory, op.in, at.n, at.c);
      const float weight = memory.read_f32(op.weight, 0, at.c, kh, kw);
      single = f32::mul(value, weight);
      sum.add(tap.name(at.n, at.c), value, place("weight", 0, at.c, kh, kw), weight);
    }
  const bool is_single = op.weight.shape.h * op.weight.shape.w == 1;
  return end_of_bm1684(op.out, op.bias, /*accumulate=*/false, memory, at,
                       is_single ? single : sum.total(), paper);
}

int32_t formula(const Conv2dBm1684xFloat& op, const Memory& memory, const Shape& at, Paper& paper) {
  const bool is_f32 = op.in.dtype == DType::f32;
  return rounded(paper,
                 is_f32 ? alternating(op, memory, at, paper) : grouped(op, memory, at, paper),
                 op.out.dtype);
}

int32_t formula(const Depthwise2dBm1684xFloat& op, const Memory& memory, const Shape& at,
                Paper& paper) {
  const float bias = bias_at(op, memory, at.c);
  paper.line("bias {}", bias);
  AlternatingTerms sum(paper, op.in.dtype, 0.0f, bias);
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t y, uint32_t x) {
                 const auto from = weight_place(op.window, op.is_rotated, kh, kw);
                 sum.add(place_of_tap(tap, at.n, at.c, y, x),
                         tap == TapKind::inside ? read_float(memory, op.in, at.n, at.c, y, x)
                                                : float_outside(op, tap),
                         place("weight", 0, at.c, from.h, from.w),
                         read_float(memory, op.weight, 0, at.c, from.h, from.w));
               });
  return rounded(paper, sum.total_second_first(), op.out.dtype);
}

}  // namespace tputwin::explain

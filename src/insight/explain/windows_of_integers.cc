// Formulas of integer convolutions.
#include "insight/explain/formulas.h"
#include "ops/contract/kernel_steps.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::explain {
namespace {

// A sum of products that is printed term by term.
class Sum {
 public:
  explicit Sum(Paper& paper) : paper_(paper) {}
  void begin(int64_t bias, std::string_view what) {
    sum_ = bias;
    if (bias != 0) paper_.line("{} {}", what, bias);
  }
  void add(const std::string& left, int64_t a, const std::string& right, int64_t b) {
    sum_ += a * b;
    paper_.term(left, a, right, b, a * b, sum_);
  }
  int64_t total() const { return sum_; }

 private:
  Paper& paper_;
  int64_t sum_ = 0;
};

// Calls f for the taps of a BM1880 window that fall on elements.
template <class F>
void for_each_source(const Window& window, const Shape& in, const Shape& at, F&& f) {
  for (uint32_t kh = 0; kh < window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw) {
      const int64_t y = window.h.source(at.h, kh, in.h), x = window.w.source(at.w, kw, in.w);
      if (y >= 0 && x >= 0) f(kh, kw, static_cast<uint32_t>(y), static_cast<uint32_t>(x));
    }
}

// The epilogue of BM1880 convolutions.
int32_t end_of_bm1880(int64_t sum, int32_t bias, bool relu, uint32_t rshift, Paper& paper) {
  int64_t acc = wrap32(paper.step("+ bias", sum, sum + bias));
  if (relu) acc = paper.step("relu", acc, std::max<int64_t>(acc, 0));
  return paper.shift_and_saturate(acc, rshift, relu ? DType::u8 : DType::i8);
}

// The epilogue of BM1684X convolutions.
int32_t end_of_bm1684x(int64_t acc, bool relu, uint32_t rshift, Rounding rounding, DType dtype,
                       Paper& paper) {
  if (relu) acc = paper.step("relu", acc, std::max<int64_t>(acc, 0));
  const int64_t shifted = shift_right(acc, rshift, rounding);
  if (rshift != 0) paper.line("/ 2^{}, {}: {}", rshift, to_string(rounding), shifted);
  return paper.saturated(shifted, dtype);
}

}  // namespace

int32_t formula(const Conv2dBm1880& op, const Memory& memory, const Shape& at, Paper& paper) {
  Sum sum(paper);
  Window window = op.window;
  window.h.kernel = op.weight.shape.h, window.w.kernel = op.weight.shape.w;
  for_each_source(window, op.in.shape, at, [&](uint32_t kh, uint32_t kw, uint32_t y, uint32_t x) {
    for (uint32_t ic = 0; ic < op.in.shape.c; ++ic)
      sum.add(place("in", at.n, ic, y, x), memory.read(op.in, at.n, ic, y, x),
              place("weight", ic, at.c, kh, kw), memory.read(op.weight, ic, at.c, kh, kw));
  });
  return end_of_bm1880(sum.total(), bias_of(op.bias, memory, at.c), op.relu, op.rshift, paper);
}

int32_t formula(const Depthwise2dBm1880& op, const Memory& memory, const Shape& at, Paper& paper) {
  const TensorView weight = as(op.weight, DType::i8);
  std::optional<TensorView> bias;
  if (op.bias) bias = as(*op.bias, DType::i16);
  Window window = op.window;
  window.h.kernel = weight.shape.h, window.w.kernel = weight.shape.w;
  Sum sum(paper);
  for_each_source(window, op.in.shape, at, [&](uint32_t kh, uint32_t kw, uint32_t y, uint32_t x) {
    sum.add(place("in", at.n, at.c, y, x), memory.read(op.in, at.n, at.c, y, x),
            place("weight", 0, at.c, kh, kw), memory.read(weight, 0, at.c, kh, kw));
  });
  return end_of_bm1880(sum.total(), bias_of(bias, memory, at.c), /*relu=*/false, op.rshift, paper);
}

int32_t formula(const Conv2dBm1684Int8& op, const Memory& memory, const Shape& at, Paper& paper) {
  Sum sum(paper);
  sum.begin(bias_of(op.bias, memory, at.c), "bias");
  const ResultPlace result = place_in_window(op.window, op.in.shape, op.out.shape, at.h, at.w);
  for_each_tap(op.window, op.in.shape, result.y, result.x,
               [&](uint32_t kh, uint32_t kw, TapKind kind, uint32_t y, uint32_t x) {
                 if (kind != TapKind::inside) return;
                 const WeightPlace from = weight_place(op.window, op.is_rotated, kh, kw);
                 for (uint32_t ic = 0; ic < op.in.shape.c; ++ic) {
                   const int32_t value = memory.read(op.in, at.n, ic, y, x);
                   if (op.constant_weight)
                     sum.add(place("in", at.n, ic, y, x), value, "weight", *op.constant_weight);
                   else
                     sum.add(place("in", at.n, ic, y, x), value,
                             place("weight", ic, at.c, from.h, from.w),
                             memory.read(op.weight, ic, at.c, from.h, from.w));
                 }
               });
  return paper.shift_and_saturate(sum.total(), op.rshift, op.out.dtype);
}

int32_t formula(const Depthwise2dBm1684Int8& op, const Memory& memory, const Shape& at,
                Paper& paper) {
  Sum sum(paper);
  sum.begin(bias_of(op.bias, memory, at.c), "bias");
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t kh, uint32_t kw, TapKind kind, uint32_t y, uint32_t x) {
                 if (kind != TapKind::inside) return;
                 sum.add(place("in", at.n, at.c, y, x), memory.read(op.in, at.n, at.c, y, x),
                         place("weight", 0, at.c, kh, kw), op.weight.read(memory, 0, at.c, kh, kw));
               });
  return paper.shift_and_saturate(sum.total(), op.rshift, op.out.dtype);
}

int32_t formula(const Conv2dBm1684xInt8& op, const Memory& memory, const Shape& at, Paper& paper) {
  const uint32_t group = weight_group(op.in.dtype);
  const int32_t zero_point = op.zero_point.read(memory, 0, at.c, 0, 0);
  Sum sum(paper);
  sum.begin(op.bias ? memory.read(*op.bias, 0, at.c, 0, 0) : op.constant_bias, "bias");
  if (zero_point != 0) paper.line("zero point of the weights {}", zero_point);
  for (uint32_t ic = 0; ic < op.in.shape.c; ++ic)
    for_each_tap(op.window, op.in.shape, at.h, at.w,
                 [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t y, uint32_t x) {
                   const Source& outside = tap == TapKind::padding ? op.padding : op.insertion;
                   const int32_t value = tap == TapKind::inside ? memory.read(op.in, at.n, ic, y, x)
                                                                : outside.read(memory, 0, ic, 0, 0);
                   const uint32_t row = weight_row(ic, weight_tap(op.window, op.is_rotated, kh, kw),
                                                   op.window, group);
                   sum.add(place_of_tap(tap, at.n, ic, y, x), value,
                           place("weight", 0, at.c, row, ic % group),
                           op.weight.read(memory, 0, at.c, row, ic % group) - zero_point);
                 });
  int64_t total = sum.total();
  if (op.accumulate)
    total = paper.step("+ old result", total, total + memory.read(op.out, at.n, at.c, at.h, at.w));
  const int32_t acc = wrap32(total);
  if (is_32bit(op.out.dtype)) return acc;
  return end_of_bm1684x(acc, op.relu, op.rshift, Rounding::half_up, op.out.dtype, paper);
}

int32_t formula(const Depthwise2dBm1684xInt8& op, const Memory& memory, const Shape& at,
                Paper& paper) {
  Sum sum(paper);
  sum.begin(bias_at(op, memory, at.c), "bias");
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t kh, uint32_t kw, TapKind tap, uint32_t y, uint32_t x) {
                 const Source& outside = tap == TapKind::padding ? op.padding : op.insertion;
                 const int32_t value = tap == TapKind::inside ? memory.read(op.in, at.n, at.c, y, x)
                                                              : outside.read(memory, 0, at.c, 0, 0);
                 const auto from = weight_place(op.window, op.is_rotated, kh, kw);
                 sum.add(place_of_tap(tap, at.n, at.c, y, x), value,
                         place("weight", 0, at.c, from.h, from.w),
                         op.weight.read(memory, 0, at.c, from.h, from.w));
               });
  return end_of_bm1684x(sum.total(), op.relu, op.rshift, op.rounding, op.out.dtype, paper);
}

}  // namespace tputwin::explain

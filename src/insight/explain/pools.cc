// Formulas of pooling.
#include <algorithm>

#include "insight/explain/float_sums.h"
#include "insight/explain/formulas.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::explain {
namespace {

// The running maximum, printed where it grows.
class Largest {
 public:
  Largest(Paper& paper, int32_t smallest) : paper_(paper), value_(smallest) {}
  void meet(const std::string& place, int32_t value) {
    value_ = std::max(value_, value);
    paper_.line("{} {}; largest {}", place, value, value_);
  }
  int32_t value() const { return value_; }

 private:
  Paper& paper_;
  int32_t value_;
};

}  // namespace

int32_t formula(const Pool2dBm1880& op, const Memory& memory, const Shape& at, Paper& paper) {
  const bool averages = op.kind == Pool2dBm1880::Kind::average;
  Largest largest(paper, is_signed(op.in.dtype) ? -128 : 0);
  int64_t sum = 0;
  for (uint32_t kh = 0; kh < op.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < op.window.w.kernel; ++kw) {
      const int64_t y = op.window.h.source(at.h, kh, op.in.shape.h),
                    x = op.window.w.source(at.w, kw, op.in.shape.w);
      if (y < 0 || x < 0) continue;
      const auto iy = static_cast<uint32_t>(y), ix = static_cast<uint32_t>(x);
      const int32_t value = memory.read(op.in, at.n, at.c, iy, ix);
      sum += value;
      if (averages)
        paper.line("{} {}; sum {}", place("in", at.n, at.c, iy, ix), value, sum);
      else
        largest.meet(place("in", at.n, at.c, iy, ix), value);
    }
  if (!averages) return largest.value();
  const int32_t product = wrap32(sum * op.multiplier);
  paper.line("* {} = {}", op.multiplier, product);
  return paper.shift_and_saturate(product, op.rshift, op.in.dtype);
}

int32_t formula(const Pool2dBm1684& op, const Memory& memory, const Shape& at, Paper& paper) {
  const bool averages = op.kind == Pool2dBm1684::Kind::average;
  AlternatingTerms sum(paper, DType::f32, 0, 0);
  float largest = f32::kLowest, single = 0;
  for (uint32_t kh = 0; kh < op.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < op.window.w.kernel; ++kw) {
      const int64_t y = op.window.h.source(at.h, kh, op.in.shape.h),
                    x = op.window.w.source(at.w, kw, op.in.shape.w);
      const bool inside = y >= 0 && x >= 0;
      const auto iy = static_cast<uint32_t>(y), ix = static_cast<uint32_t>(x);
      const float value = inside ? memory.read_f32(op.in, at.n, at.c, iy, ix) : 0.0f;
      const std::string where = inside ? place("in", at.n, at.c, iy, ix) : "padding";
      single = f32::mul(value, op.factor);
      if (averages) sum.add(where, value, "factor", op.factor);
      if (averages || !inside) continue;
      if (value > largest) largest = f32::ftz(value);
      paper.line("{} {}; largest {}", where, value, largest);
    }
  if (!averages) return static_cast<int32_t>(f32::bits(largest));
  const bool is_single = op.window.h.kernel * op.window.w.kernel == 1;
  return static_cast<int32_t>(f32::bits(is_single ? single : sum.total()));
}

int32_t formula(const Pool2dBm1684Int8& op, const Memory& memory, const Shape& at, Paper& paper) {
  Largest largest(paper, is_signed(op.in.dtype) ? -128 : 0);
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t, uint32_t, TapKind kind, uint32_t y, uint32_t x) {
                 if (kind == TapKind::inside)
                   largest.meet(place("in", at.n, at.c, y, x),
                                memory.read(op.in, at.n, at.c, y, x));
               });
  const bool drops = op.relu && (largest.value() & 0x80) != 0;
  return static_cast<int32_t>(paper.step("relu", largest.value(), drops ? 0 : largest.value()));
}

int32_t formula(const Pool2dBm1684xFloat& op, const Memory& memory, const Shape& at, Paper& paper) {
  const bool averages = op.kind == Pool2dBm1684xFloat::Kind::average;
  const DType type = op.in.dtype;
  AlternatingTerms sum(paper, type, -0.0f, -0.0f);
  uint32_t largest = lowest_bits(type);
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t, uint32_t, TapKind tap, uint32_t y, uint32_t x) {
                 const uint32_t bits =
                     tap == TapKind::inside
                         ? static_cast<uint32_t>(memory.read(op.in, at.n, at.c, y, x))
                     : tap == TapKind::padding ? op.padding
                                               : op.insertion;
                 const float value = float_value(bits, type);
                 const std::string where = place_of_tap(tap, at.n, at.c, y, x);
                 if (averages) return sum.add(where, value, "factor", float_value(op.factor, type));
                 if (!(float_value(largest, type) > value)) largest = bits;
                 paper.line("{} {}; largest {}", where, value, float_value(largest, type));
               });
  if (averages) return rounded(paper, sum.total_second_first(), type);
  return static_cast<int32_t>(type == DType::f32 ? flush_bits(largest, type) : largest);
}

int32_t formula(const Pool2dBm1684xInt8& op, const Memory& memory, const Shape& at, Paper& paper) {
  const bool averages = op.kind == Pool2dBm1684xInt8::Kind::average;
  Largest largest(paper, INT32_MIN);
  int64_t sum = 0;
  for_each_tap(op.window, op.in.shape, at.h, at.w,
               [&](uint32_t, uint32_t, TapKind tap, uint32_t y, uint32_t x) {
                 const int32_t value = tap == TapKind::inside ? memory.read(op.in, at.n, at.c, y, x)
                                       : tap == TapKind::padding ? op.padding
                                                                 : op.insertion;
                 const std::string where = place_of_tap(tap, at.n, at.c, y, x);
                 sum += value;
                 if (averages)
                   paper.line("{} {}; sum {}", where, value, sum);
                 else
                   largest.meet(where, value);
               });
  if (!averages) return largest.value();
  paper.line("* {} = {}", op.multiplier, sum * op.multiplier);
  return paper.shift_and_saturate(sum * op.multiplier, op.rshift, op.out.dtype);
}

}  // namespace tputwin::explain

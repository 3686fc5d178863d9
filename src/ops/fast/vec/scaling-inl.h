// Scales integers with one scale for all: multiplies, shifts with rounding, adds an offset and
// clamps. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_SCALING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_SCALING_INL_H
#undef TPUTWIN_FAST_SCALING_INL_H
#else
#define TPUTWIN_FAST_SCALING_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/vec/scale.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

using I64 = hn::Repartition<int64_t, I32>;
using Longs = hn::Vec<I64>;

HWY_INLINE Longs longs(int64_t value) { return hn::Set(I64(), value); }
// Moves odd elements to even positions.
HWY_INLINE Ints odd_elements(Ints v) {
  return hn::BitCast(I32(), hn::ShiftRight<32>(hn::BitCast(I64(), v)));
}

// out = clamp(round(in * multiplier / 2^right) + offset). For shifts by 32 and more, only the upper
// 32 bits of the products count.
class SameScaling {
 public:
  HWY_INLINE explicit SameScaling(const Scale& scale)
      : multiplier_(ints(scale.multiplier)),
        offset_(ints(scale.offset)),
        low_(ints(scale.low)),
        high_(ints(scale.high)),
        half_(longs(int64_t{1} << (scale.right - 1))),
        less_than_half_(longs((int64_t{1} << (scale.right - 1)) - 1)),
        rest_(longs((int64_t{1} << scale.right) - 1)),
        right_(scale.right),
        rounding_(scale.rounding) {}

  template <Rounding kRounding>
  HWY_INLINE Ints scaled(Ints v) const {
    const I32 d;
    const Longs even = rounded<kRounding>(hn::MulEven(v, multiplier_));
    const Longs odd = rounded<kRounding>(hn::MulEven(odd_elements(v), multiplier_));
    const Ints upper = hn::OddEven(hn::BitCast(d, odd), odd_elements(hn::BitCast(d, even)));
    const Ints sum = hn::Add(hn::ShiftRightSame(upper, right_ - kLeastRight), offset_);
    return hn::Min(hn::Max(sum, low_), high_);
  }

  // Calls f<rounding>().
  template <class F>
  HWY_INLINE void with_rounding(const F& f) const {
    switch (rounding_) {
      case Rounding::half_up:
        return f.template operator()<Rounding::half_up>();
      case Rounding::half_even:
        return f.template operator()<Rounding::half_even>();
      case Rounding::half_away:
        return f.template operator()<Rounding::half_away>();
      case Rounding::half_down:
        return f.template operator()<Rounding::half_down>();
      case Rounding::toward_zero:
        return f.template operator()<Rounding::toward_zero>();
      case Rounding::down:
        return f.template operator()<Rounding::down>();
      case Rounding::up:
        return f.template operator()<Rounding::up>();
    }
  }

 private:
  // Adds the number with which a truncating shift rounds in mode kRounding.
  template <Rounding kRounding>
  HWY_INLINE Longs rounded(Longs v) const {
    if constexpr (kRounding == Rounding::half_up) return hn::Add(v, half_);
    if constexpr (kRounding == Rounding::half_down) return hn::Add(v, less_than_half_);
    if constexpr (kRounding == Rounding::half_away)
      return hn::Add(v, hn::Add(half_, hn::BroadcastSignBit(v)));
    if constexpr (kRounding == Rounding::half_even)
      return hn::Add(v, hn::Add(less_than_half_, hn::And(hn::ShiftRightSame(v, right_), longs(1))));
    if constexpr (kRounding == Rounding::toward_zero)
      return hn::Add(v, hn::And(hn::BroadcastSignBit(v), rest_));
    if constexpr (kRounding == Rounding::up) return hn::Add(v, rest_);
    return v;
  }

  Ints multiplier_, offset_, low_, high_;
  Longs half_, less_than_half_, rest_;
  int right_;
  Rounding rounding_;
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// Rounding shifts of integers on vectors. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_ROUNDING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ROUNDING_INL_H
#undef TPUTWIN_FAST_ROUNDING_INL_H
#else
#define TPUTWIN_FAST_ROUNDING_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <type_traits>

#include "numerics/rounding.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Returns (v + 2^(shift-1)) >> shift without overflow of the sum. For 16-bit elements, shift must
// be at most 16, and unsigned values must be below the largest one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoundShift(D d, V v, int shift) {
  using T = hn::TFromD<D>;
  if (shift == 0) return v;
  if constexpr (std::is_same_v<T, int16_t>) {
    // (v * 2^(15-shift) + 2^14) >> 15; a shift by 16 leaves 0 of 15 significant bits
    return hn::MulFixedPoint15(v, hn::Set(d, static_cast<T>(shift > 15 ? 0 : 1 << (15 - shift))));
  } else {
    auto half = hn::ShiftRightSame(v, shift - 1);
    if constexpr (sizeof(T) == 2) return hn::ShiftRight<1>(hn::Add(half, hn::Set(d, 1)));
    return hn::Add(hn::ShiftRight<1>(half), hn::And(half, hn::Set(d, 1)));
  }
}

// Rounding shift of numbers to which half a unit can be added without overflow.
struct SmallRoundShift {
  Ints half;
  int shift;
  explicit SmallRoundShift(uint32_t by)
      : half(ints(by == 0 ? 0 : int32_t{1} << (by - 1))), shift(static_cast<int>(by)) {}
  HWY_INLINE Ints operator()(Ints v) const { return hn::ShiftRightSame(hn::Add(v, half), shift); }
};

// Returns v / 2^shift, rounded in any of the seven modes. shift must be in [1, the type's bits -
// 1].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoundShift(D d, V v, int shift, Rounding rounding) {
  using T = hn::TFromD<D>;
  const V kept = hn::ShiftRightSame(v, shift), zero = hn::Zero(d), one = hn::Set(d, T{1});
  const V rest = hn::And(v, hn::Set(d, static_cast<T>((uint32_t{1} << shift) - 1)));
  const V half = hn::Set(d, static_cast<T>(uint32_t{1} << (shift - 1)));
  const auto above = hn::Gt(rest, half), tie = hn::Eq(rest, half),
             any = hn::Not(hn::Eq(rest, zero));
  const auto negative = hn::Lt(v, zero);
  auto up = above;
  switch (rounding) {
    case Rounding::half_even:
      up = hn::Or(above, hn::And(tie, hn::Eq(hn::And(kept, one), one)));
      break;
    case Rounding::half_away:
      up = hn::Or(above, hn::AndNot(negative, tie));
      break;
    case Rounding::toward_zero:
      up = hn::And(negative, any);
      break;
    case Rounding::down:
      return kept;
    case Rounding::up:
      up = any;
      break;
    case Rounding::half_up:
      up = hn::Or(above, tie);
      break;
    case Rounding::half_down:
      break;
  }
  return hn::Sub(kept, hn::VecFromMask(d, up));
}

// Applies RoundShift() to every number of an array. shift must be in [1, 62].
template <size_t kCount>
HWY_INLINE void RoundShiftAll(std::array<int64_t, kCount>& x, int shift, Rounding rounding) {
  const int64_t mask = (int64_t{1} << shift) - 1, half = int64_t{1} << (shift - 1);
  // `least` is the smallest cut-off part that rounds up; in some modes it depends on the kept part
  const auto round = [&](const auto& least) HWY_ATTR {
    for (int64_t& value : x) {
      const int64_t kept = value >> shift;
      value = kept + int64_t{(value & mask) >= least(kept)};
    }
  };
  switch (rounding) {
    case Rounding::half_even:
      return round([=](int64_t kept) { return half + 1 - (kept & 1); });
    case Rounding::half_away:
      return round([=](int64_t kept) { return half + (kept < 0); });
    case Rounding::toward_zero:
      return round([=](int64_t kept) { return kept < 0 ? int64_t{1} : mask + 1; });
    case Rounding::down:
      return round([=](int64_t) { return mask + 1; });
    case Rounding::up:
      return round([](int64_t) { return int64_t{1}; });
    case Rounding::half_up:
      return round([=](int64_t) { return half; });
    case Rounding::half_down:
      return round([=](int64_t) { return half + 1; });
  }
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

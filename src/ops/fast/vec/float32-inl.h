// The functions of numerics/float32.h on vectors. They differ from it in NaN only, which their
// callers compute again. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_F32_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_F32_INL_H
#undef TPUTWIN_FAST_F32_INL_H
#else
#define TPUTWIN_FAST_F32_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/vec/multiply-inl.h"
#include "ops/fast/walk/streams-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A subnormal becomes the zero of its sign.
HWY_INLINE Floats flush(Floats x) {
  const I32 d;
  const Ints exponent = hn::And(hn::BitCast(d, x), hn::Set(d, 0x7f80'0000));
  const auto subnormal = hn::RebindMask(F32(), hn::Eq(exponent, hn::Zero(d)));
  return hn::IfThenElse(subnormal, hn::CopySign(hn::Zero(F32()), x), x);
}

HWY_INLINE Floats inverse_root(Floats x) {
  const F32 d;
  const I32 di;
  const Ints seed = hn::Sub(hn::Set(di, 0x5f37'59df), hn::ShiftRight<1>(hn::BitCast(di, x)));
  const Floats h = multiply(x, hn::Set(d, 0.5f)), three_halves = hn::Set(d, 1.5f);
  Floats y = hn::BitCast(d, seed);
  for (int i = 0; i < 3; ++i) y = multiply(y, hn::Sub(three_halves, multiply(multiply(h, y), y)));
  return y;
}

HWY_INLINE Floats divide(Floats a, Floats b) {
  const Floats r = inverse_root(hn::Abs(b));
  const Floats sign = hn::And(b, hn::SignBit(F32()));
  return multiply(multiply(r, r), hn::Xor(a, sign));
}

HWY_INLINE Floats invert(Floats x) { return divide(hn::Set(F32(), 1.0f), x); }

// Truncation; large values, infinities and NaN give the limit of their sign.
HWY_INLINE Ints truncate(Floats x) {
  const F32 d;
  const I32 di;
  const Ints bits = hn::BitCast(di, x);
  const Ints magnitude = hn::And(bits, hn::Set(di, 0x7fff'ffff));
  const auto large = hn::Gt(magnitude, hn::Set(di, 0x4eff'ffff));
  const Ints limit = hn::Xor(hn::Set(di, 0x7fff'ffff), hn::ShiftRight<31>(bits));
  const Floats small = hn::IfThenZeroElse(hn::RebindMask(d, large), x);
  return hn::IfThenElse(large, limit, hn::ConvertTo(di, small));
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

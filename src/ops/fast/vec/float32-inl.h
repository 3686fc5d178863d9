// The functions of numerics/float32.h on vectors. They differ from it in NaN only, which callers
// compute again. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_FLOAT32_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_FLOAT32_INL_H
#undef TPUTWIN_FAST_FLOAT32_INL_H
#else
#define TPUTWIN_FAST_FLOAT32_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

#if HWY_ARCH_ARM
// Corrects products p that were flushed to 0 although they round up to the smallest normal number.
// For these, the exponents of the factors add up to 2^-127, and the significands, in [1, 2), have a
// rounded product of 2.
template <class V>
HWY_NOINLINE V round_up_flushed(V a, V b, V p) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto exponent = [&](V x) HWY_ATTR {
    return hn::And(hn::ShiftRight<23>(hn::BitCast(di, x)), hn::Set(di, 0xff));
  };
  const auto significand = [&](V x) HWY_ATTR {
    const auto fraction = hn::And(hn::BitCast(di, x), hn::Set(di, 0x007f'ffff));
    return hn::BitCast(d, hn::Or(fraction, hn::Set(di, 0x3f80'0000)));
  };
  const auto ea = exponent(a), eb = exponent(b), zero = hn::Zero(di);
  const auto numbers = hn::And(hn::Gt(ea, zero), hn::Gt(eb, zero));
  const auto at_border = hn::And(numbers, hn::Eq(hn::Add(ea, eb), hn::Set(di, 127)));
  const auto reaches = hn::Ge(hn::Mul(significand(a), significand(b)), hn::Set(d, 2.0f));
  const auto flushed =
      hn::And(hn::RebindMask(d, at_border), hn::And(reaches, hn::Eq(p, hn::Zero(d))));
  const V smallest = hn::BitCast(d, hn::Set(di, 0x0080'0000));
  return hn::IfThenElse(flushed, hn::Or(p, smallest), p);
}
#endif

// Returns products rounded and flushed as on the chip (f32::product).
template <class V>
HWY_INLINE V multiply(V a, V b) {
  const V p = hn::Mul(a, b);
#if HWY_ARCH_ARM
  const hn::DFromV<V> d;
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Eq(p, hn::Zero(d))))) return round_up_flushed(a, b, p);
#endif
  return p;
}

// Replaces a subnormal by the zero of its sign.
HWY_INLINE Floats flush(Floats x) {
  const Ints exponent = hn::And(bits(x), ints(0x7f80'0000));
  const auto subnormal = of_floats(hn::Eq(exponent, hn::Zero(I32())));
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

// Truncates. Large values, infinities and NaN give the limit of their sign.
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

// nan_elements() returns a vector that is not 0 where an element is NaN. any_set() returns true if
// an element is not 0.
HWY_INLINE Floats nan_elements(Floats x) { return hn::VecFromMask(F32(), hn::IsNaN(x)); }
HWY_INLINE bool any_set(Floats values) {
  return !hn::AllTrue(I32(), hn::Eq(bits(values), hn::Zero(I32())));
}
HWY_INLINE bool has_nan(Floats x) { return !hn::AllFalse(F32(), hn::IsNaN(x)); }

// Looks up the low 8 bits of `index` in a table of 256 numbers.
HWY_INLINE Floats byte_lookup(const float* table, Ints index) {
  return hn::GatherIndex(F32(), table, hn::And(index, hn::Set(I32(), 0xff)));
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

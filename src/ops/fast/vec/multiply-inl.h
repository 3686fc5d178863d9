// Products of fp32 vectors as the chip rounds and flushes them (f32::product). Included once per
// target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_MULTIPLY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_MULTIPLY_INL_H
#undef TPUTWIN_FAST_MULTIPLY_INL_H
#else
#define TPUTWIN_FAST_MULTIPLY_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_ARM
// Of products p that came out as 0: those that round up to the smallest normal number become that.
// Its exponents add up to 2^-127, and the significands, in [1, 2), multiply to 2 when rounded.
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

template <class V>
HWY_INLINE V multiply(V a, V b) {
  const V p = hn::Mul(a, b);
#if HWY_ARCH_ARM
  const hn::DFromV<V> d;
  if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Eq(p, hn::Zero(d))))) return round_up_flushed(a, b, p);
#endif
  return p;
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

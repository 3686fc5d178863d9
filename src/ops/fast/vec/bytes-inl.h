// Vector access to byte runs: whole vectors, and tails that touch no byte past their end.
// Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTES_INL_H
#undef TPUTWIN_FAST_BYTES_INL_H
#else
#define TPUTWIN_FAST_BYTES_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "ops/fast/views/views.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes(d) bytes from p, or only the first n of them (the others are zero).
template <bool kWhole, class D>
HWY_INLINE hn::Vec<D> LoadBytes(D d, const uint8_t* p, size_t n) {
  using T = hn::TFromD<D>;
  if constexpr (kWhole) return hn::LoadU(d, reinterpret_cast<const T*>(p));
#if HWY_TARGET <= HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(d, n), d, reinterpret_cast<const T*>(p));
#else
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  std::memcpy(buffer, p, n);
  return hn::Load(d, buffer);
#endif
}

template <bool kWhole, class D>
HWY_INLINE void StoreBytes(D d, hn::Vec<D> v, uint8_t* p, size_t n) {
  using T = hn::TFromD<D>;
  if constexpr (kWhole) {
    hn::StoreU(v, d, reinterpret_cast<T*>(p));
    return;
  }
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, n), d, reinterpret_cast<T*>(p));
#else
  HWY_ALIGN T buffer[hn::MaxLanes(d)];
  hn::Store(v, d, buffer);
  std::memcpy(p, buffer, n);
#endif
}

// (v + 2^(shift-1)) >> shift without overflow on the way. 16-bit lanes: shift is at most 16, and
// callers keep unsigned values below the largest one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V RoundShift(D d, V v, int shift) {
  using T = hn::TFromD<D>;
  if (shift == 0) return v;
  if constexpr (std::is_same_v<T, int16_t>) {
    // (v * 2^(15-shift) + 2^14) >> 15; a shift by 16 leaves nothing of 15 significant bits
    return hn::MulFixedPoint15(v, hn::Set(d, static_cast<T>(shift > 15 ? 0 : 1 << (15 - shift))));
  } else {
    auto half = hn::ShiftRightSame(v, shift - 1);
    if constexpr (sizeof(T) == 2) return hn::ShiftRight<1>(hn::Add(half, hn::Set(d, 1)));
    return hn::Add(hn::ShiftRight<1>(half), hn::And(half, hn::Set(d, 1)));
  }
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// Vector access to byte runs: whole vectors, and tails that access no byte past their end. Included
// once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTES_INL_H
#undef TPUTWIN_FAST_BYTES_INL_H
#else
#define TPUTWIN_FAST_BYTES_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads Lanes(d) bytes from p, or only the first n of them. The other elements are zero.
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

// Stores the first n elements. Bytes after them are not touched, because another thread may write
// them.
template <class D>
HWY_INLINE void StoreFirst(D d, hn::Vec<D> v, hn::TFromD<D>* p, size_t n) {
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, n), d, p);
#else
  HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(d)];
  hn::Store(v, d, buffer);
  std::memcpy(p, buffer, n * sizeof *p);
#endif
}

template <bool kWhole, class D>
HWY_INLINE void StoreBytes(D d, hn::Vec<D> v, uint8_t* p, size_t n) {
  auto* to = reinterpret_cast<hn::TFromD<D>*>(p);
  if constexpr (kWhole)
    hn::StoreU(v, d, to);
  else
    StoreFirst(d, v, to, n);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

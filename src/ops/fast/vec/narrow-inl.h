// Narrows elements: the only place that calls Highway for it. Debian's Highway 1.0.3 is wrong here
// on some targets (below). So a test forbids its calls elsewhere, and tests/ops compares these
// functions with plain C++ on every target. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_NARROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_NARROW_INL_H
#undef TPUTWIN_FAST_NARROW_INL_H
#else
#define TPUTWIN_FAST_NARROW_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef TPUTWIN_NARROW_BY_MOVES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define TPUTWIN_NARROW_BY_MOVES 1
#else
#define TPUTWIN_NARROW_BY_MOVES 0
#endif

#if TPUTWIN_NARROW_BY_MOVES
// A mask of all elements: GCC 12 warns about the unmasked moves, although their undefined source is
// unused.
constexpr __mmask16 kAll = 0xffff;
#endif

template <class T, class D>
using Narrowed = hn::Vec<hn::Rebind<T, D>>;

// Returns the low bits of every 16-bit or 32-bit element, as many as the unsigned T has.
// (TruncateTo from 32 to 8 bits permutes int16 instead of bytes on targets with VBMI.)
template <class T, class D>
HWY_INLINE Narrowed<T, D> LowBits([[maybe_unused]] D d, hn::Vec<D> v) {
  constexpr size_t kFrom = sizeof(hn::TFromD<D>), kTo = sizeof(T);
  static_assert(std::is_unsigned_v<T> && kTo < kFrom && kFrom <= 4);
#if TPUTWIN_NARROW_BY_MOVES
  static_assert(hn::MaxLanes(d) * kFrom == 64, "whole vectors only");
  if constexpr (kFrom == 2)
    return Narrowed<T, D>{_mm512_maskz_cvtepi16_epi8(~__mmask32{0}, v.raw)};
  else if constexpr (kTo == 1)
    return Narrowed<T, D>{_mm512_maskz_cvtepi32_epi8(kAll, v.raw)};
  else
    return Narrowed<T, D>{_mm512_maskz_cvtepi32_epi16(kAll, v.raw)};
#else
  const hn::RebindToSigned<D> di;
  const auto mask = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(hwy::LimitsMax<T>()));
  return hn::DemoteTo(hn::Rebind<T, D>(), hn::And(hn::BitCast(di, v), mask));
#endif
}

// Returns the nearest number of the 8-bit type T. (DemoteTo does not make 255 of 32768 to 65535 on
// x86.)
template <class T, class D>
HWY_INLINE Narrowed<T, D> SaturatedBytes(D d, hn::Vec<D> v) {
  static_assert(sizeof(T) == 1 && std::is_same_v<hn::TFromD<D>, int32_t>);
#if TPUTWIN_NARROW_BY_MOVES
  static_assert(hn::MaxLanes(d) == 16, "whole vectors only");
  if constexpr (std::is_signed_v<T>)
    return Narrowed<T, D>{_mm512_maskz_cvtsepi32_epi8(kAll, v.raw)};
  else
    return Narrowed<T, D>{_mm512_maskz_cvtusepi32_epi8(kAll, hn::Max(v, hn::Zero(d)).raw)};
#else
  if constexpr (std::is_unsigned_v<T>) v = hn::Min(v, hn::Set(d, hwy::LimitsMax<T>()));
  return hn::DemoteTo(hn::Rebind<T, D>(), v);
#endif
}

// Converts fp32 to fp16, rounded to nearest even, by the processor. For targets that have the
// instruction.
template <class D>
HWY_INLINE auto ProcessorFloat16([[maybe_unused]] D d, hn::Vec<D> v) {
  return hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v);
}

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
// Saturates 32-bit elements to 16 bits. Restores the order of elements that InterleaveLower and
// InterleaveUpper changed in blocks of 128 bits.
template <class D, class V32>
HWY_INLINE hn::Vec<D> SaturatedInterleaved(D d, V32 lower, V32 upper) {
  static_assert(std::is_same_v<hn::TFromD<D>, int16_t>);
  return hn::ReorderDemote2To(d, lower, upper);
}
#endif

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#undef TPUTWIN_NARROW_BY_MOVES
#endif  // per-target include guard

// Unpacks 8-bit and 16-bit elements of 32-bit cells to 32-bit elements, and packs them. Included
// once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_PACKED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_PACKED_INL_H
#undef TPUTWIN_FAST_PACKED_INL_H
#else
#define TPUTWIN_FAST_PACKED_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "chip/dtype.h"
#include "numerics/integer.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// The positions of elements of kBits bits in 32-bit cells.
template <int kBits>
struct PackedElements {
  static constexpr int kPerCell = 32 / kBits;

  // Returns element k of the group, sign-extended, or zero-extended if `mask` clears the upper
  // bits.
  template <int k>
  static HWY_INLINE Ints Get(const Ints* part, Ints mask) {
    constexpr int kPlace = k % kPerCell * kBits;
    Ints v = part[k / kPerCell];
    if constexpr (kPlace + kBits < 32) v = hn::ShiftLeft<32 - kBits - kPlace>(v);
    return hn::And(hn::ShiftRight<32 - kBits>(v), mask);
  }
  // Writes the low bits of a value to element k. The element must be zero.
  template <int k>
  static HWY_INLINE void Put(Ints* part, Ints value) {
    constexpr int kPlace = k % kPerCell * kBits;
    if constexpr (kPlace + kBits < 32) value = hn::And(value, ints((1 << kBits) - 1));
    if constexpr (kPlace != 0) value = hn::ShiftLeft<kPlace>(value);
    part[k / kPerCell] = hn::Or(part[k / kPerCell], value);
  }
};

// Returns the mask for Get().
HWY_INLINE Ints ElementMask(DType type) {
  return ints(is_signed(type) ? -1 : is_16bit(type) ? 0xffff : 0xff);
}

using Bytes = PackedElements<8>;
using Elements16 = PackedElements<16>;

// Calls element(k) for the elements of a group of cells. k is a compile-time constant.
template <int kCount = 4, class Element>
HWY_INLINE void ForEachElement(const Element& element) {
  element(std::integral_constant<int, 0>());
  element(std::integral_constant<int, 1>());
  if constexpr (kCount == 4) {
    element(std::integral_constant<int, 2>());
    element(std::integral_constant<int, 3>());
  }
}

// The range of a type, to which results are clamped.
struct TypeRange {
  Ints low, high;
  explicit TypeRange(DType type)
      : low(ints(saturate(INT64_MIN, type))), high(ints(saturate(INT64_MAX, type))) {}
  HWY_INLINE Ints Clamp(Ints v) const { return hn::Min(hn::Max(v, low), high); }
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// Short names for vectors of 32-bit elements. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_TYPES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_TYPES_INL_H
#undef TPUTWIN_FAST_TYPES_INL_H
#else
#define TPUTWIN_FAST_TYPES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::ScalableTag<int32_t>;
using U32 = hn::ScalableTag<uint32_t>;
using Floats = hn::Vec<F32>;
using Ints = hn::Vec<I32>;
using Uints = hn::Vec<U32>;

// Number of elements of these vectors.
constexpr size_t kElements32 = hn::MaxLanes(F32());

HWY_INLINE Ints bits(Floats x) { return hn::BitCast(I32(), x); }
HWY_INLINE Floats floats(Ints bits) { return hn::BitCast(F32(), bits); }
HWY_INLINE Ints ints(int32_t value) { return hn::Set(I32(), value); }
HWY_INLINE hn::Mask<I32> of_ints(hn::Mask<F32> mask) { return hn::RebindMask(I32(), mask); }
HWY_INLINE hn::Mask<F32> of_floats(hn::Mask<I32> mask) { return hn::RebindMask(F32(), mask); }

// Casts pointers to 32-bit cells that hold fp32.
HWY_INLINE const float* as_floats(const uint32_t* cells) {
  return reinterpret_cast<const float*>(cells);
}
HWY_INLINE float* as_floats(uint32_t* cells) { return reinterpret_cast<float*>(cells); }

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

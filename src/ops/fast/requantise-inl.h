// How sums end: rounding shift and saturation, for one Highway target.
#if defined(TPUTWIN_OPS_FAST_REQUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#undef TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#else
#define TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#endif

#include <hwy/highway.h>

#include "numerics/integer.h"
#include "ops/fast/dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

// What a rounding shift adds before it shifts.
constexpr int64_t rounding(uint32_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

struct Requantise {
  int shift;
  bool to_unsigned;      // the saturated type; it makes a ReLU of its own superfluous
  bool rounding_folded;  // already added, because it cannot overflow

  HWY_INLINE V32 shifted(V32 acc) const {
    if (rounding_folded || shift == 0) return hn::ShiftRightSame(acc, shift);
    // The bit below the point rounds half up, without leaving 32 bits.
    V32 half = hn::And(hn::ShiftRightSame(acc, shift - 1), hn::Set(D32(), 1));
    return hn::Add(hn::ShiftRightSame(acc, shift), half);
  }

  // Saturates to bytes and stores one per lane.
  HWY_INLINE void store8(V32 acc, uint8_t* to) const {
    V32 value = shifted(acc);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    __m128i bytes = to_unsigned ? _mm512_cvtusepi32_epi8(hn::Max(value, hn::Zero(D32())).raw)
                                : _mm512_cvtsepi32_epi8(value.raw);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
#else
    const hn::Rebind<uint8_t, D32> unsigned_bytes;
    const hn::Rebind<int8_t, D32> signed_bytes;
    // The clamp is for Highway 1.0.3, which does not saturate 32768 to 65535 to 255.
    if (to_unsigned)
      hn::StoreU(hn::DemoteTo(unsigned_bytes, hn::Min(value, hn::Set(D32(), 255))), unsigned_bytes,
                 to);
    else
      hn::StoreU(hn::DemoteTo(signed_bytes, value), signed_bytes, reinterpret_cast<int8_t*>(to));
#endif
  }

  // Saturates to 16 bits and stores the low and the high byte of every lane.
  HWY_INLINE void store16(V32 acc, uint8_t* low, uint8_t* high) const {
    const D32 d;
    const hn::Rebind<uint8_t, D32> bytes;
    V32 value = to_unsigned ? hn::Min(hn::Max(shifted(acc), hn::Zero(d)), hn::Set(d, 65535))
                            : hn::Min(hn::Max(shifted(acc), hn::Set(d, -32768)), hn::Set(d, 32767));
    const V32 mask = hn::Set(d, 255);
    hn::StoreU(hn::DemoteTo(bytes, hn::And(value, mask)), bytes, low);
    hn::StoreU(hn::DemoteTo(bytes, hn::And(hn::ShiftRight<8>(value), mask)), bytes, high);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif

// How sums end: rounding shift and saturation, for one Highway target.
#if defined(TPUTWIN_OPS_FAST_REQUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#undef TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#else
#define TPUTWIN_OPS_FAST_REQUANTISE_INL_H_
#endif

#include <hwy/highway.h>

#include "numerics/integer.h"
#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/vec/narrow-inl.h"

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
    const D32 d;
    if (to_unsigned)
      hn::StoreU(SaturatedBytes<uint8_t>(d, value), hn::Rebind<uint8_t, D32>(), to);
    else
      hn::StoreU(SaturatedBytes<int8_t>(d, value), hn::Rebind<int8_t, D32>(),
                 reinterpret_cast<int8_t*>(to));
  }

  // Saturates to 16 bits and stores the low and the high byte of every lane.
  HWY_INLINE void store16(V32 acc, uint8_t* low, uint8_t* high) const {
    const D32 d;
    const hn::Rebind<uint8_t, D32> bytes;
    V32 value = to_unsigned ? hn::Min(hn::Max(shifted(acc), hn::Zero(d)), hn::Set(d, 65535))
                            : hn::Min(hn::Max(shifted(acc), hn::Set(d, -32768)), hn::Set(d, 32767));
    hn::StoreU(LowBits<uint8_t>(d, value), bytes, low);
    hn::StoreU(LowBits<uint8_t>(d, hn::ShiftRight<8>(value)), bytes, high);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif

// The epilogue of integer products: conversion of sums to 8 or 16 bits. Included once per target
// (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_EPILOGUE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_EPILOGUE_INL_H
#undef TPUTWIN_FAST_EPILOGUE_INL_H
#else
#define TPUTWIN_FAST_EPILOGUE_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Returns the number that a rounding shift adds before it shifts.
constexpr int64_t rounding(uint32_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// Converts BM1880 sums by a rounding shift and saturation.
struct Epilogue {
  int shift;
  bool to_unsigned;  // the saturated type; includes ReLU
  // True if the sums include the rounding addend, because no sum can overflow.
  bool rounding_folded;
  // The smallest 8-bit result. It must be in the range of the saturated type, or below.
  int32_t floor = INT32_MIN;

  HWY_INLINE Ints shifted(Ints acc) const {
    return rounding_folded ? hn::ShiftRightSame(acc, shift) : RoundShift(I32(), acc, shift);
  }

  // Saturates to bytes and stores one byte per element.
  HWY_INLINE void store8(Ints acc, uint8_t* to) const {
    const I32 d;
    const Ints value = hn::Max(shifted(acc), hn::Set(d, floor));
    if (to_unsigned)
      hn::StoreU(SaturatedBytes<uint8_t>(d, value), hn::Rebind<uint8_t, I32>(), to);
    else
      hn::StoreU(SaturatedBytes<int8_t>(d, value), hn::Rebind<int8_t, I32>(),
                 reinterpret_cast<int8_t*>(to));
  }

  // Saturates to 16 bits and stores the low and the high byte of every element.
  HWY_INLINE void store16(Ints acc, uint8_t* low, uint8_t* high) const {
    const I32 d;
    const hn::Rebind<uint8_t, I32> bytes;
    const Ints lowest = ints(to_unsigned ? 0 : -32768), most = ints(to_unsigned ? 65535 : 32767);
    const Ints value = hn::Min(hn::Max(shifted(acc), lowest), most);
    hn::StoreU(LowBits<uint8_t>(d, value), bytes, low);
    hn::StoreU(LowBits<uint8_t>(d, hn::ShiftRight<8>(value)), bytes, high);
  }
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

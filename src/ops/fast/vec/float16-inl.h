// fp16 and bf16 in vectors of 32-bit elements (numerics/float16.h), and fp32 where code is written
// for all three. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_FLOAT16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_FLOAT16_INL_H
#undef TPUTWIN_FAST_FLOAT16_INL_H
#else
#define TPUTWIN_FAST_FLOAT16_INL_H
#endif

#include <hwy/highway.h>

#include "memory/memory.h"
#include "numerics/float16.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// True if the processor converts fp16, including subnormals in any floating-point mode.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define TPUTWIN_PROCESSOR_F16 1
#else
#define TPUTWIN_PROCESSOR_F16 0
#endif

// ---- Bits of the types, in the low 16 bits of elements ----

// Converts fp16 to fp32, as f16::to_f32 does.
HWY_INLINE Floats from_f16(Ints half) {
  const Ints sign = hn::ShiftLeft<16>(hn::And(half, ints(0x8000)));
  const Ints magnitude = hn::And(half, ints(0x7fff)), infinity = ints(0x7c00);
  const Ints normal = hn::Add(hn::ShiftLeft<13>(magnitude), ints(112 << 23));
  const Ints subnormal = bits(hn::Mul(hn::ConvertTo(F32(), magnitude), hn::Set(F32(), 0x1p-24f)));
  Ints wide = hn::IfThenElse(hn::Lt(magnitude, ints(0x0400)), subnormal, normal);
  wide = hn::Or(hn::IfThenElse(hn::Eq(magnitude, infinity), ints(0x7f80'0000), wide), sign);
  const Ints invalid = ints(static_cast<int32_t>(f32::kInvalid));
  return floats(hn::IfThenElse(hn::Gt(magnitude, infinity), invalid, wide));
}

// Converts fp32 to fp16, rounded to nearest even, as f16::from_f32 does. Only the low 16 bits of
// the result are valid.
HWY_INLINE Ints to_f16(Floats x) {
  const Ints magnitude = hn::And(bits(x), ints(0x7fff'ffff));
  const Ints sign = hn::And(hn::ShiftRight<16>(bits(x)), ints(0x8000));
  const Ints odd = hn::And(hn::ShiftRight<13>(magnitude), ints(1));
  const Ints normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, ints((112 << 23) - 0xfff)), odd));
  // The last place of fp32 numbers in [1/2, 1) is 2^-24, and so is that of fp16 subnormals. So the
  // addition of 1/2 rounds as required: 1/2 + 1.5 * 2^-24 becomes 1/2 + 2 * 2^-24 (to even).
  const Floats half = hn::Set(F32(), 0.5f);
  const Ints subnormal = hn::Sub(bits(hn::Add(floats(magnitude), half)), bits(half));
  Ints result = hn::IfThenElse(hn::Lt(magnitude, ints(113 << 23)), subnormal, normal);
  const auto large = hn::Gt(magnitude, ints(0x477f'ffff));
  result = hn::Or(hn::IfThenElse(large, ints(0x7c00), result), sign);
  return hn::IfThenElse(hn::Gt(magnitude, ints(0x7f80'0000)), ints(kHalfNan), result);
}

// Converts fp32 to bf16, rounded to nearest even, as bf16::from_f32 does. Only the low 16 bits of
// the result are valid.
HWY_INLINE Ints to_bf16(Floats x) {
  const Ints magnitude = hn::And(bits(x), ints(0x7fff'ffff));
  const Ints odd = hn::And(hn::ShiftRight<16>(bits(x)), ints(1));
  // the sign is above the rounded part and is shifted with it
  const Ints rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits(x), ints(0x7fff)), odd));
  const Ints sign = hn::And(hn::ShiftRight<16>(bits(x)), ints(0x8000));
  // a value of one half unit below the smallest normal number rounds up to it
  const auto subnormal = hn::Lt(magnitude, ints(0x007f'8000));
  const auto nan = hn::Gt(magnitude, ints(0x7f80'0000));
  return hn::IfThenElse(nan, ints(kHalfNan), hn::IfThenElse(subnormal, sign, rounded));
}

// from_bits() returns the number of the type with these bits. to_bits() returns the bits of a
// number, rounded to nearest even.
template <DType kType>
HWY_INLINE Floats from_bits(Ints x) {
  if constexpr (kType == DType::f16) return from_f16(x);
  if constexpr (kType == DType::bf16) return floats(hn::ShiftLeft<16>(x));
  return floats(x);
}
template <DType kType>
HWY_INLINE Ints to_bits(Floats x) {
  if constexpr (kType == DType::f16) return to_f16(x);
  if constexpr (kType == DType::bf16) return to_bf16(x);
  return bits(x);
}

// ---- Steps of a sum or product in a type ----

// Rounds results of arithmetic on numbers of the type, as round_to() does. These results are not
// subnormal in fp32. A NaN has no bits below those of the type, so that it stays a NaN.
template <DType kType>
HWY_INLINE Floats RoundTo(Floats x) {
  if constexpr (kType == DType::bf16) {
    const Ints odd = hn::And(hn::ShiftRight<16>(bits(x)), ints(1));
    const Ints sum = hn::Add(bits(x), hn::Add(odd, ints(0x7fff)));
    return floats(hn::And(sum, ints(-0x10000)));
  }
#if TPUTWIN_PROCESSOR_F16
  if constexpr (kType == DType::f16) return hn::PromoteTo(F32(), ProcessorFloat16(F32(), x));
#endif
  if constexpr (kType == DType::f16) {
    // Normal numbers of fp16 have 13 bits less than those of fp32. Smaller numbers are multiples of
    // 2^-24, the last place of fp32 numbers in [1/2, 1). So adding and subtracting 0.75 rounds
    // them: 1.5 * 2^-24 becomes 2 * 2^-24. Sums are below 1, because a < 2^-14.
    const F32 d;
    const Floats a = hn::Abs(x), shift = hn::Set(d, 0.75f);
    const Ints odd = hn::And(hn::ShiftRight<13>(bits(a)), ints(1));
    const Floats normal =
        floats(hn::And(hn::Add(bits(a), hn::Add(odd, ints(0x0fff))), ints(-0x2000)));
    const Floats subnormal = hn::Sub(hn::Add(a, shift), shift);
    Floats value = hn::IfThenElse(hn::Lt(a, hn::Set(d, 0x1p-14f)), subnormal, normal);
    value = hn::IfThenElse(hn::Gt(value, hn::Set(d, 65504.0f)), floats(ints(0x7f80'0000)), value);
    return hn::CopySign(value, x);
  }
  return x;
}

// ---- Elements in memory ----

// LoadBits() and StoreBits() access the bits of elements, zero-extended to 32 bits.
template <DType kType>
HWY_INLINE Ints LoadBits(const void* p) {
  if constexpr (kType == DType::f32) return hn::LoadU(I32(), static_cast<const int32_t*>(p));
  const hn::Rebind<uint16_t, I32> d16;
  return hn::PromoteTo(I32(), hn::LoadU(d16, static_cast<const uint16_t*>(p)));
}
template <DType kType>
HWY_INLINE void StoreBits(Ints x, void* p) {
  if constexpr (kType == DType::f32) {
    hn::StoreU(x, I32(), static_cast<int32_t*>(p));
  } else {
    hn::StoreU(LowBits<uint16_t>(I32(), x), hn::Rebind<uint16_t, I32>(), static_cast<uint16_t*>(p));
  }
}

// LoadAs() converts elements to fp32. StoreAs() converts fp32 to elements, rounded to nearest even.
// The payload of a 16-bit NaN is not kept.
template <DType kType>
HWY_INLINE Floats LoadAs(const void* p) {
#if TPUTWIN_PROCESSOR_F16
  if constexpr (kType == DType::f16) {
    const hn::Rebind<hwy::float16_t, F32> d16;
    return hn::PromoteTo(F32(), hn::LoadU(d16, static_cast<const hwy::float16_t*>(p)));
  }
#endif
  return from_bits<kType>(LoadBits<kType>(p));
}
template <DType kType>
HWY_INLINE void StoreAs(Floats x, void* p) {
#if TPUTWIN_PROCESSOR_F16
  if constexpr (kType == DType::f16) {
    const hn::Rebind<hwy::float16_t, F32> d16;
    // cut to 16 bits, this is the chip's NaN
    const Floats nan = floats(ints(0x7fff'ffff));
    hn::StoreU(ProcessorFloat16(F32(), hn::IfThenElse(hn::IsNaN(x), nan, x)), d16,
               static_cast<hwy::float16_t*>(p));
    return;
  }
#endif
  StoreBits<kType>(to_bits<kType>(x), p);
}

// Loads one element as fp32 and broadcasts it.
template <DType kType>
HWY_INLINE Floats BroadcastAs(const uint8_t* p) {
  if constexpr (kType == DType::f32) return hn::Set(F32(), Memory::load<float>(p));
  const auto half = Memory::load<uint16_t>(p);
#if TPUTWIN_PROCESSOR_F16
  if constexpr (kType == DType::f16) {
    const hn::Rebind<hwy::float16_t, F32> d16;
    return hn::PromoteTo(F32(), hn::BitCast(d16, hn::Set(hn::Rebind<uint16_t, F32>(), half)));
  }
#endif
  return from_bits<kType>(ints(half));
}

// Replaces subnormals by the zero of their sign. Subnormals of fp16 are kept (flush_bits).
template <DType kType>
HWY_INLINE Ints FlushBits(Ints x) {
  if constexpr (kType == DType::f16) return x;
  constexpr bool kIsSingle = kType == DType::f32;
  const Ints exponent = ints(kIsSingle ? 0x7f80'0000 : 0x7f80);
  const Ints sign = ints(kIsSingle ? INT32_MIN : 0x8000);
  const auto subnormal = hn::Eq(hn::And(x, exponent), hn::Zero(I32()));
  return hn::IfThenElse(subnormal, hn::And(x, sign), x);
}

// Calls f(std::integral_constant<DType, ...>) for the given floating-point type.
template <class F>
HWY_INLINE auto ForFloatType(DType dtype, const F& f) {
  if (dtype == DType::f16) return f(std::integral_constant<DType, DType::f16>());
  if (dtype == DType::bf16) return f(std::integral_constant<DType, DType::bf16>());
  return f(std::integral_constant<DType, DType::f32>());
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#undef TPUTWIN_PROCESSOR_F16
#endif  // per-target include guard

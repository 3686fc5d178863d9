// Vectors over blocks of rows, and the 16-bit floating-point types on vectors. Included once per
// target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_TYPED_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_TYPED_ROWS_INL_H
#undef TPUTWIN_FAST_TYPED_ROWS_INL_H
#else
#define TPUTWIN_FAST_TYPED_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <type_traits>

#include "numerics/float16.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/walk/rows.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using RowFloats = hn::ScalableTag<float>;
using RowInts = hn::ScalableTag<int32_t>;
using RowFloatVector = hn::Vec<RowFloats>;
using RowIntVector = hn::Vec<RowInts>;

// fp32 bits of the fp16 in the low halves (f16::to_f32).
HWY_INLINE RowIntVector F16Lanes(RowIntVector half) {
  const RowInts d;
  const RowFloats df;
  const RowIntVector sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(d, 0x8000)));
  const RowIntVector magnitude = hn::And(half, hn::Set(d, 0x7fff));
  const RowIntVector normal = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(d, 112 << 23));
  const RowIntVector subnormal =
      hn::BitCast(d, hn::Mul(hn::ConvertTo(df, magnitude), hn::Set(df, 0x1p-24f)));
  const RowIntVector infinity = hn::Set(d, 0x7c00);
  RowIntVector bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x0400)), subnormal, normal);
  bits = hn::IfThenElse(hn::Eq(magnitude, infinity), hn::Set(d, 0x7f80'0000), bits);
  bits = hn::Or(bits, sign);
  const RowIntVector invalid = hn::Set(d, static_cast<int32_t>(f32::kInvalid));
  return hn::IfThenElse(hn::Gt(magnitude, infinity), invalid, bits);
}

// The fp16 of fp32 bits, rounded to nearest even (f16::from_f32); only the low halves count.
HWY_INLINE RowIntVector F16Bits(RowIntVector bits) {
  const RowInts d;
  const RowFloats df;
  const RowIntVector magnitude = hn::And(bits, hn::Set(d, 0x7fff'ffff));
  const RowIntVector sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000));
  const RowIntVector odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
  const RowIntVector normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(d, (112 << 23) - 0xfff)), odd));
  // Next to 1/2, whose last place is 2^-24, the sum is rounded as the subnormal is.
  const RowFloatVector half = hn::Set(df, 0.5f);
  const RowIntVector subnormal =
      hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), half)), hn::BitCast(d, half));
  RowIntVector result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 113 << 23)), subnormal, normal);
  const auto large = hn::Gt(magnitude, hn::Set(d, 0x477f'ffff));
  result = hn::Or(hn::IfThenElse(large, hn::Set(d, 0x7c00), result), sign);
  const auto nan = hn::Gt(magnitude, hn::Set(d, 0x7f80'0000));
  return hn::IfThenElse(nan, hn::Set(d, kHalfNan), result);
}

// The bf16 of fp32 bits, rounded to nearest even (bf16::from_f32); only the low halves count.
HWY_INLINE RowIntVector Bf16Bits(RowIntVector bits) {
  const RowInts d;
  const RowIntVector magnitude = hn::And(bits, hn::Set(d, 0x7fff'ffff));
  const RowIntVector odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  // the sign is above the rounded part and is cut like it
  const RowIntVector rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(d, 0x7fff)), odd));
  const RowIntVector sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000));
  // one half below the smallest normal number rounds up to it
  const auto subnormal = hn::Lt(magnitude, hn::Set(d, 0x007f'8000));
  const auto nan = hn::Gt(magnitude, hn::Set(d, 0x7f80'0000));
  return hn::IfThenElse(nan, hn::Set(d, kHalfNan), hn::IfThenElse(subnormal, sign, rounded));
}

// fp32 lanes rounded to a type, as a step of a sum or product in that type (round_to). NaN stay
// what they are where the type is fp32, elsewhere they become the type's own.
template <DType kType>
HWY_INLINE RowFloatVector RoundTo(RowFloatVector x) {
  const RowInts d;
  const RowFloats df;
  if constexpr (kType == DType::f16) return hn::BitCast(df, F16Lanes(F16Bits(hn::BitCast(d, x))));
  if constexpr (kType == DType::bf16)
    return hn::BitCast(df, hn::ShiftLeft<16>(Bf16Bits(hn::BitCast(d, x))));
  return x;
}

// Lanes of a block of words.
HWY_INLINE RowFloatVector LoadFloats(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(RowFloats(), block.source<float>(operand) + i);
}
HWY_INLINE RowIntVector LoadInts(const RowBlock& block, size_t operand, size_t i) {
  return hn::LoadU(RowInts(), block.source<int32_t>(operand) + i);
}

// Conversions of the processor: of fp16 subnormals too, whatever the number environment.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define TPUTWIN_ROWS_CONVERT_F16 1
#else
#define TPUTWIN_ROWS_CONVERT_F16 0
#endif

// Elements of a floating-point type in a block of elements as fp32, and back, rounded to nearest
// even. Of a 16-bit NaN only that it is one counts.
template <DType kType>
HWY_INLINE RowFloatVector LoadElements(const RowBlock& block, size_t operand, size_t i) {
  const RowInts d;
  if constexpr (kType == DType::f32) return LoadFloats(block, operand, i);
  if constexpr (kType == DType::f16 && TPUTWIN_ROWS_CONVERT_F16) {
    const hn::Rebind<hwy::float16_t, RowFloats> dh;
    return hn::PromoteTo(RowFloats(), hn::LoadU(dh, block.source<hwy::float16_t>(operand) + i));
  }
  const RowIntVector half = hn::PromoteTo(
      d, hn::LoadU(hn::Rebind<uint16_t, RowInts>(), block.source<uint16_t>(operand) + i));
  return hn::BitCast(RowFloats(), kType == DType::f16 ? F16Lanes(half) : hn::ShiftLeft<16>(half));
}
template <DType kType>
HWY_INLINE void StoreElements(RowFloatVector x, const RowBlock& block, size_t i) {
  if constexpr (kType == DType::f32) {
    hn::StoreU(x, RowFloats(), block.result<float>() + i);
  } else if constexpr (kType == DType::f16 && TPUTWIN_ROWS_CONVERT_F16) {
    const RowFloats d;
    const hn::Rebind<hwy::float16_t, RowFloats> dh;
    // cut to 16 bits it is the NaN of the chip
    const RowFloatVector nan = hn::BitCast(d, hn::Set(RowInts(), 0x7fff'ffff));
    hn::StoreU(ProcessorHalves(d, hn::IfThenElse(hn::IsNaN(x), nan, x)), dh,
               block.result<hwy::float16_t>() + i);
  } else {
    const RowIntVector bits = hn::BitCast(RowInts(), x);
    const RowIntVector half = kType == DType::f16 ? F16Bits(bits) : Bf16Bits(bits);
    hn::StoreU(LowBits<uint16_t>(RowInts(), half), hn::Rebind<uint16_t, RowInts>(),
               block.result<uint16_t>() + i);
  }
}

// Elements of a floating-point type as their bits, extended by zeros, and back.
template <DType kType>
HWY_INLINE RowIntVector LoadBits(const RowBlock& block, size_t operand, size_t i) {
  if constexpr (kType == DType::f32) return LoadInts(block, operand, i);
  const hn::Rebind<uint16_t, RowInts> dt;
  return hn::PromoteTo(RowInts(), hn::LoadU(dt, block.source<uint16_t>(operand) + i));
}
template <DType kType>
HWY_INLINE void StoreBits(RowIntVector bits, const RowBlock& block, size_t i) {
  if constexpr (kType == DType::f32) {
    hn::StoreU(bits, RowInts(), block.result<int32_t>() + i);
  } else {
    hn::StoreU(LowBits<uint16_t>(RowInts(), bits), hn::Rebind<uint16_t, RowInts>(),
               block.result<uint16_t>() + i);
  }
}
// Subnormals become the zero of their sign; those of fp16 are numbers (flush_bits).
template <DType kType>
HWY_INLINE RowIntVector FlushBits(RowIntVector bits) {
  if constexpr (kType == DType::f16) return bits;
  const RowInts d;
  constexpr bool kIsSingle = kType == DType::f32;
  const RowIntVector exponent = hn::Set(d, kIsSingle ? 0x7f80'0000 : 0x7f80);
  const RowIntVector sign = hn::Set(d, kIsSingle ? INT32_MIN : 0x8000);
  const auto subnormal = hn::Eq(hn::And(bits, exponent), hn::Zero(d));
  return hn::IfThenElse(subnormal, hn::And(bits, sign), bits);
}

// step(i) for the first lane of every vector of 32-bit lanes of a block.
template <class Step>
HWY_INLINE void ForEachRowVector(const RowBlock& block, const Step& step) {
  const size_t lanes = hn::Lanes(RowInts());
  for (size_t i = 0; i < block.count; i += lanes) step(i);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#undef TPUTWIN_ROWS_CONVERT_F16
#endif  // per-target include guard

// fp16 and bf16 of the BM1684X: conversions to and from fp32, and arithmetic. Expects the thread to
// be in ScopedFloatMode. bm1684x-machine 5 and 7.4.
#pragma once

#include <cstdint>

#include "memory/tensor_view.h"
#include "numerics/float32.h"
#include "numerics/rounding.h"

namespace tputwin {

constexpr uint16_t kHalfNan = 0x7fff;  // the NaN of all 16-bit results

namespace f16 {
// Converts exactly; NaN becomes the invalid fp32.
float to_f32(uint16_t bits);
// Keeps subnormal results; subnormal operands count as 0. Values of 2^16 and more become infinite
// in every mode. Smaller values above the largest number become that number or infinity, as the
// mode rounds.
uint16_t from_f32(float x, Rounding mode = Rounding::half_even);
}  // namespace f16

namespace bf16 {
// Exact: bf16 is the upper half of fp32. Subnormals and NaN pass unchanged.
constexpr float to_f32(uint16_t bits) { return f32::from_bits(uint32_t{bits} << 16); }
// Rounds with subnormals, then flushes a subnormal result to 0.
uint16_t from_f32(float x, Rounding mode = Rounding::half_even);
}  // namespace bf16

// Conversions of an element of a floating-point type from its bits and back, rounded to nearest
// even.
inline float float_value(uint32_t bits, DType dtype) {
  switch (dtype) {
    case DType::f16:
      return f16::to_f32(static_cast<uint16_t>(bits));
    case DType::bf16:
      return bf16::to_f32(static_cast<uint16_t>(bits));
    default:
      return f32::from_bits(bits);
  }
}
inline uint32_t float_bits(float x, DType dtype) {
  switch (dtype) {
    case DType::f16:
      return f16::from_f32(x);
    case DType::bf16:
      return bf16::from_f32(x);
    default:
      return f32::bits(x);
  }
}
// Flushes subnormals to the zero of their sign; fp16 keeps its subnormals.
constexpr uint32_t flush_bits(uint32_t bits, DType dtype) {
  if (dtype == DType::f32) return f32::bits(f32::ftz(f32::from_bits(bits)));
  return dtype == DType::bf16 && (bits & 0x7f80) == 0 ? bits & 0x8000 : bits;
}
// Returns the lowest finite number.
constexpr uint32_t lowest_bits(DType dtype) {
  return dtype == DType::f32 ? 0xff7f'ffff : dtype == DType::bf16 ? 0xff7f : 0xfbff;
}
// Returns x rounded to the type, as after one step of a sum or product in that type.
inline float round_to(float x, DType dtype) {
  return dtype == DType::f32 ? x : float_value(float_bits(x, dtype), dtype);
}

// Converts to an integer: rounds, then saturates. NaN gives the smallest value of the type.
int32_t float_to_integer(float x, DType dtype, Rounding mode);
// Returns the fp32 nearest to an integer, ties to even.
float integer_to_float(int64_t value);
// Returns the bits of a 32-bit integer in a floating-point type, rounded once. Values above the
// largest number of fp16 become infinity or that number, as the mode rounds.
uint32_t integer_to_bits(int64_t value, DType dtype, Rounding mode);

}  // namespace tputwin

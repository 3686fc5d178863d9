// Classification of the bit patterns of floating-point types.
#pragma once

#include <cstdint>

#include "chip/dtype.h"

namespace tputwin {

// Return true for NaN and infinities of fp32, fp16 or bf16. Only the low half of `bits` counts for
// 16-bit types.
constexpr bool is_nan_bits(uint32_t bits, DType dtype) {
  if (dtype == DType::f32) return (bits & 0x7fffffff) > 0x7f800000;
  const uint32_t infinity = dtype == DType::f16 ? 0x7c00 : 0x7f80;
  return (bits & 0x7fff) > infinity;
}
constexpr bool is_infinity_bits(uint32_t bits, DType dtype) {
  if (dtype == DType::f32) return (bits & 0x7fffffff) == 0x7f800000;
  return (bits & 0x7fff) == (dtype == DType::f16 ? 0x7c00u : 0x7f80u);
}
// Returns true for all other numbers.
constexpr bool is_finite_bits(uint32_t bits, DType dtype) {
  return !is_nan_bits(bits, dtype) && !is_infinity_bits(bits, dtype);
}

}  // namespace tputwin

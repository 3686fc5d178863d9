// Integer arithmetic of the fixed-point chips: rounding shifts and saturation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/tensor_view.h"

namespace tputwin {

// Returns a right shift that rounds half up: (v + 2^(s-1)) >> s, and v for s = 0.
constexpr int64_t round_shift(int64_t value, uint32_t shift) {
  return shift == 0 ? value : (value + (int64_t{1} << (shift - 1))) >> shift;
}

// Returns a left shift in 32-bit two's complement; bits shifted out are lost.
constexpr int32_t wrap_shift_left(int32_t value, uint32_t shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << shift);
}

// Returns the 32-bit two's complement value of an accumulator; higher bits are lost.
constexpr int32_t wrap32(int64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

// Returns the value clamped to the range of the type (its bits, for u32 and floating-point types).
constexpr int32_t saturate(int64_t value, DType dtype) {
  int64_t low = 0, high = 0;
  switch (dtype) {
    case DType::u8:
      high = 255;
      break;
    case DType::i8:
      low = -128, high = 127;
      break;
    case DType::u16:
      high = 65535;
      break;
    case DType::i16:
      low = -32768, high = 32767;
      break;
    case DType::f32:
    case DType::b32:
    case DType::i32:
      low = INT32_MIN, high = INT32_MAX;
      break;
    case DType::u32:
      high = UINT32_MAX;
      break;
    case DType::f16:
    case DType::bf16:
      high = UINT16_MAX;
      break;
  }
  return wrap32(std::clamp(value, low, high));
}

}  // namespace tputwin

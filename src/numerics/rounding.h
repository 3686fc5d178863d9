// The seven rounding modes of the BM1684X, and integer operations that use them. bm1684x-machine 4.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "memory/tensor_view.h"
#include "numerics/integer.h"

namespace tputwin {

// In the order of rounding_mode_t. Floating-point conversions take the first five.
enum class Rounding : uint8_t { half_even, half_away, toward_zero, down, up, half_up, half_down };
constexpr std::string_view to_string(Rounding mode) {
  constexpr std::string_view kNames[] = {"half_even", "half_away", "toward_zero", "down",
                                         "up",        "half_up",   "half_down"};
  return kNames[static_cast<size_t>(mode)];
}

// Returns true if a magnitude rounds away from zero. `odd` is the lowest bit kept. `cut` classifies
// the part cut off: 0: zero, 1: below one half, 2: one half, 3: above.
constexpr bool rounds_away(Rounding mode, bool negative, bool odd, unsigned cut) {
  switch (mode) {
    case Rounding::half_even:
      return cut == 3 || (cut == 2 && odd);
    case Rounding::half_away:
      return cut >= 2;
    case Rounding::toward_zero:
      return false;
    case Rounding::down:
      return negative && cut != 0;
    case Rounding::up:
      return !negative && cut != 0;
    case Rounding::half_up:
      return cut == 3 || (cut == 2 && !negative);
    case Rounding::half_down:
      return cut == 3 || (cut == 2 && negative);
  }
  return false;
}

// Classifies the low `bits` bits of a magnitude for rounds_away().
constexpr unsigned cut_of(uint64_t magnitude, uint32_t bits) {
  if (bits == 0) return 0;
  if (bits > 64) return magnitude != 0;
  const uint64_t part = bits == 64 ? magnitude : magnitude & ((uint64_t{1} << bits) - 1);
  const uint64_t half = uint64_t{1} << (bits - 1);
  return part == 0 ? 0 : part < half ? 1 : part == half ? 2 : 3;
}

// Returns value / 2^shift, rounded, for any shift.
constexpr int64_t shift_right(int64_t value, uint32_t shift, Rounding mode) {
  if (shift == 0) return value;
  const bool negative = value < 0;
  const uint64_t magnitude =
      negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  uint64_t kept = shift >= 64 ? 0 : magnitude >> shift;
  kept += rounds_away(mode, negative, (kept & 1) != 0, cut_of(magnitude, shift));
  return static_cast<int64_t>(negative ? uint64_t{0} - kept : kept);
}

// Returns the low bits of an integer as the type stores them, sign or zero extended (u32: its
// bits).
constexpr int32_t wrap(int64_t value, DType dtype) {
  switch (dtype) {
    case DType::u8:
      return static_cast<uint8_t>(value);
    case DType::i8:
      return static_cast<int8_t>(value);
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return static_cast<uint16_t>(value);
    case DType::i16:
      return static_cast<int16_t>(value);
    default:
      return wrap32(value);
  }
}

// Returns the value of an element of an integer type, given the result of Memory::read().
constexpr int64_t integer_value(int32_t bits, DType dtype) {
  return dtype == DType::u32 ? int64_t{static_cast<uint32_t>(bits)} : int64_t{bits};
}

}  // namespace tputwin

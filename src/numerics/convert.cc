// Conversions between integers and floating-point numbers, rounded in the given mode.
#include "numerics/convert.h"

#include <cmath>

#include "numerics/float16.h"

namespace tputwin {
namespace {

// Returns the bits of x in a floating-point type.
uint32_t narrow(float x, DType to, Rounding mode) {
  switch (to) {
    case DType::f16:
      return f16::from_f32(x, mode);
    case DType::bf16:
      return bf16::from_f32(x, mode);
    default:
      return f32::bits(x);
  }
}

}  // namespace

int32_t convert(int32_t bits, DType from, DType to, Rounding mode) {
  if (from == to) return bits;
  if (!is_float(from)) {
    const int64_t value = integer_value(bits, from);
    if (!is_float(to)) return saturate(value, to);
    return static_cast<int32_t>(integer_to_bits(value, to, mode));
  }
  const float x = float_value(static_cast<uint32_t>(bits), from);
  if (!is_float(to)) return float_to_integer(x, to, mode);
  return static_cast<int32_t>(narrow(x, to, mode));
}

int32_t round_to_whole(int32_t bits, DType dtype, Rounding mode) {
  const float x = float_value(static_cast<uint32_t>(bits), dtype);
  const float magnitude = std::fabs(x);
  if (!(magnitude < 0x1p24f)) return bits;  // also NaN, unchanged
  const float whole = std::trunc(magnitude), part = magnitude - whole;
  const unsigned cut = part == 0 ? 0 : part < 0.5f ? 1 : part == 0.5f ? 2 : 3;
  const bool odd = (static_cast<int32_t>(whole) & 1) != 0;
  const float rounded = whole + (rounds_away(mode, std::signbit(x), odd, cut) ? 1.0f : 0.0f);
  return static_cast<int32_t>(float_bits(std::copysign(rounded, x), dtype));
}

}  // namespace tputwin

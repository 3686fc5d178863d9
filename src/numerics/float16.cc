// Rounding to 11 and 8 significant bits, and to integers, in five modes.
#include "numerics/float16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tputwin {
namespace {

// Cuts the low `bits` bits off a magnitude and rounds it in the mode.
uint32_t cut(uint32_t magnitude, uint32_t bits, bool negative, Rounding mode) {
  const uint32_t kept = bits > 31 ? 0 : magnitude >> bits;
  return kept + rounds_away(mode, negative, (kept & 1) != 0, cut_of(magnitude, bits));
}

struct Format {
  uint32_t fraction_bits, bias, infinity;
};
constexpr Format format_of(DType dtype) {
  return dtype == DType::f32    ? Format{23, 127, f32::kInfinity}
         : dtype == DType::bf16 ? Format{7, 127, 0x7f80}
                                : Format{10, 15, 0x7c00};
}

}  // namespace

namespace f16 {

float to_f32(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, magnitude = bits & 0x7fff;
  if (magnitude > 0x7c00) return f32::from_bits(f32::kInvalid);
  if (magnitude == 0x7c00) return f32::from_bits(sign | f32::kInfinity);
  if (magnitude >= 0x0400) return f32::from_bits(sign | ((magnitude << 13) + (112u << 23)));
  // Subnormal: an integer times 2^-24.
  return f32::from_bits(sign | f32::bits(static_cast<float>(magnitude) * 0x1p-24f));
}

uint16_t from_f32(float x, Rounding mode) {
  const uint32_t sign = f32::bits(x) >> 16 & 0x8000, magnitude = f32::bits(x) & ~f32::kSignBit;
  if (magnitude > f32::kInfinity) return kHalfNan;
  if (magnitude < 0x0080'0000) return static_cast<uint16_t>(sign);
  if (magnitude >= 0x4780'0000) return static_cast<uint16_t>(sign | 0x7c00);  // from 2^16 on
  const uint32_t exponent = magnitude >> 23;
  if (exponent > 112)
    return static_cast<uint16_t>(sign | cut(magnitude - (112u << 23), 13, sign != 0, mode));
  const uint32_t significand = (magnitude & 0x007f'ffff) | 0x0080'0000;
  return static_cast<uint16_t>(sign | cut(significand, 126 - exponent, sign != 0, mode));
}

}  // namespace f16

uint16_t bf16::from_f32(float x, Rounding mode) {
  const uint32_t sign = f32::bits(x) >> 16 & 0x8000, magnitude = f32::bits(x) & ~f32::kSignBit;
  if (magnitude > f32::kInfinity) return kHalfNan;
  return static_cast<uint16_t>(flush_bits(sign | cut(magnitude, 16, sign != 0, mode), DType::bf16));
}

int32_t float_to_integer(float x, DType dtype, Rounding mode) {
  const int64_t low = is_signed(dtype) ? -(int64_t{1} << (8 * element_bytes(dtype) - 1)) : 0;
  if (f32::is_nan(x)) return static_cast<int32_t>(low);
  const float limit = std::clamp(x, -0x1p40f, 0x1p40f);  // outside every type, inside int64
  const bool negative = std::signbit(limit);
  const double magnitude = std::fabs(double{f32::ftz(limit)}), whole = std::floor(magnitude);
  const double part = magnitude - whole;
  const unsigned cut = part == 0 ? 0 : part < 0.5 ? 1 : part == 0.5 ? 2 : 3;
  const auto kept = static_cast<int64_t>(whole);
  const int64_t rounded = kept + rounds_away(mode, negative, (kept & 1) != 0, cut);
  return saturate(negative ? -rounded : rounded, dtype);
}

float integer_to_float(int64_t value) { return static_cast<float>(value); }

uint32_t integer_to_bits(int64_t value, DType dtype, Rounding mode) {
  if (value == 0) return 0;
  const Format format = format_of(dtype);
  const bool negative = value < 0;
  const auto magnitude = static_cast<uint32_t>(negative ? -value : value);
  const auto exponent = static_cast<uint32_t>(std::bit_width(magnitude) - 1);
  const uint32_t sign = negative ? format.infinity + (1u << format.fraction_bits) : 0;
  // The leading bit of the significand adds 1 to the exponent.
  const uint32_t field = (format.bias + exponent - 1) << format.fraction_bits;
  if (exponent <= format.fraction_bits)
    return sign | (field + (magnitude << (format.fraction_bits - exponent)));
  const uint32_t number = field + cut(magnitude, exponent - format.fraction_bits, negative, mode);
  if (number < format.infinity) return sign | number;
  const bool is_infinite = rounds_away(mode, negative, /*odd=*/true, /*cut=*/3);
  return sign | (format.infinity - (is_infinite ? 0 : 1));
}

}  // namespace tputwin

// Number types of 4 and 8 bits that the installed libonnx has no names for.
#include "bmnet/onnx/reader/small_floats.h"

#include <algorithm>
#include <cmath>

namespace tputwin::net::onnx_reader {
namespace {

using onnx::TensorProto;

// A number of sign, exponent and fraction. Types for which `has_infinity` is false have only NaN:
// FN where all other bits are 1, FNUZ at the bits of -0.
float of_small(uint32_t bits, int fraction_bits, int exponent_bits, int bias, int type) {
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const uint32_t sign_bit = 1u << (fraction_bits + exponent_bits);
  const float sign = (bits & sign_bit) != 0 ? -1.0f : 1.0f;
  const bool is_last = exponent == (1 << exponent_bits) - 1;
  const bool is_uz = type == TensorProto::FLOAT8E4M3FNUZ || type == TensorProto::FLOAT8E5M2FNUZ;
  if (is_uz && bits == sign_bit) return NAN;
  if (type == TensorProto::FLOAT8E4M3FN && is_last && fraction == 7) return NAN;
  if (type == TensorProto::FLOAT8E5M2 && is_last) return fraction != 0 ? NAN : sign * INFINITY;
  const auto one = static_cast<float>(1u << fraction_bits);
  const float whole =
      exponent == 0 ? static_cast<float>(fraction) : one + static_cast<float>(fraction);
  return sign * std::ldexp(whole, std::max(exponent, 1) - bias - fraction_bits);
}

struct FloatForm {
  int fraction_bits, exponent_bits, bias;
};

FloatForm form_of(int type) {
  switch (type) {
    case TensorProto::FLOAT8E4M3FN:
      return {3, 4, 7};
    case TensorProto::FLOAT8E4M3FNUZ:
      return {3, 4, 8};
    case TensorProto::FLOAT8E5M2:
      return {2, 5, 15};
    default:
      return {2, 5, 16};
  }
}

}  // namespace

float of_float8(uint8_t bits, int type) {
  // A power of two, without sign and zero.
  if (type == TensorProto::FLOAT8E8M0) return bits == 255 ? NAN : std::ldexp(1.0f, bits - 127);
  const FloatForm form = form_of(type);
  return of_small(bits, form.fraction_bits, form.exponent_bits, form.bias, type);
}

float largest_of_float8(int type) {
  switch (type) {
    case TensorProto::FLOAT8E4M3FN:
      return 448;
    case TensorProto::FLOAT8E4M3FNUZ:
      return 240;
    default:
      return 57344;
  }
}

float of_float4(uint8_t bits) { return of_small(bits, 1, 2, 1, TensorProto::FLOAT4E2M1); }

float to_float8(float value, int type, bool saturates) {
  if (std::isnan(value) || value == 0) return value;
  const FloatForm form = form_of(type);
  const float largest = std::copysign(largest_of_float8(type), value);
  const bool has_infinity = type == TensorProto::FLOAT8E5M2;
  const float beyond = has_infinity ? std::copysign(INFINITY, value) : NAN;
  if (std::isinf(value)) return saturates ? largest : beyond;
  const int exponent = std::max(std::ilogb(value), 1 - form.bias) - form.fraction_bits;
  const float nearest = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  if (std::fabs(nearest) <= std::fabs(largest)) return nearest;
  return saturates ? largest : beyond;
}

}  // namespace tputwin::net::onnx_reader

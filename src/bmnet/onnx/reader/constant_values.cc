// Constants made of computed values, and the values of constants.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bmnet/onnx/reader/constant.h"
#include "bmnet/onnx/reader/small_floats.h"

namespace tputwin::net::onnx_reader {

using onnx::TensorProto;

double Constant::at(size_t i) const {
  return is_integer() ? static_cast<double>(whole_at(*this, i)) : reals[i];
}

std::vector<int64_t> Constant::whole() const {
  if (is_integer()) return integers;
  std::vector<int64_t> values;
  for (float v : reals) values.push_back(std::fabs(v) < 9e18f ? static_cast<int64_t>(v) : 0);
  return values;
}

std::vector<float> Constant::real() const {
  if (!is_integer()) return reals;
  return {integers.begin(), integers.end()};
}

ConstantPtr make_reals(Dims dims, std::vector<float> values) {
  return std::make_shared<Constant>(
      Constant{std::move(dims), TensorProto::FLOAT, std::move(values), {}});
}

ConstantPtr make_integers(Dims dims, std::vector<int64_t> values, int type) {
  return std::make_shared<Constant>(Constant{std::move(dims), type, {}, std::move(values)});
}

Whole whole_at(const Constant& constant, size_t i) {
  const int64_t value = constant.integers[i];
  return constant.type == TensorProto::UINT64 ? Whole{static_cast<uint64_t>(value)} : Whole{value};
}

namespace {

// Returns the value that the type holds of an integer beyond its range: its lowest bits.
int64_t wrapped(int64_t value, int type) {
  if (const int bits = bits_of(type); bits == 2 || bits == 4) {
    const int64_t low = value & ((int64_t{1} << bits) - 1);
    return is_signed_type(type) && low >> (bits - 1) != 0 ? low - (int64_t{1} << bits) : low;
  }
  switch (type) {
    case TensorProto::INT8:
      return static_cast<int8_t>(value);
    case TensorProto::UINT8:
      return static_cast<uint8_t>(value);
    case TensorProto::INT16:
      return static_cast<int16_t>(value);
    case TensorProto::UINT16:
      return static_cast<uint16_t>(value);
    case TensorProto::INT32:
      return static_cast<int32_t>(value);
    case TensorProto::UINT32:
      return static_cast<uint32_t>(value);
    default:
      return value;
  }
}

// Returns the integer that an x86 processor makes of a number. What it does not hold becomes the
// lowest integer: of 32 bits if the type has fewer than 32 or is int32, else of 64.
int64_t converted(double value, int type) {
  if (type == TensorProto::BOOL) return value != 0 ? 1 : 0;
  const bool is_long =
      type == TensorProto::UINT32 || type == TensorProto::INT64 || type == TensorProto::UINT64;
  const double limit = std::ldexp(1.0, is_long ? 63 : 31);
  if (type == TensorProto::UINT64 && value >= limit) {
    const double rest = value - limit;  // above the range of signed integers
    return rest < limit ? static_cast<int64_t>(rest) ^ INT64_MIN : 0;
  }
  const double whole = std::trunc(value);
  return static_cast<int64_t>(whole >= -limit && whole < limit ? whole : -limit);
}

// The nearest number of 8 significant bits, ties to even.
float to_bfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

// The nearest number of fp16, ties to even.
float to_half(float value) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), -14) - 10;
  const float rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  return std::fabs(rounded) > 65504 ? std::copysign(INFINITY, value) : rounded;
}

}  // namespace

ConstantPtr make_constant(Dims dims, int type, const std::vector<double>& values) {
  if (!is_integer_type(type))
    return std::make_shared<Constant>(
        Constant{std::move(dims), type, {values.begin(), values.end()}, {}});
  std::vector<int64_t> whole;
  for (double v : values) whole.push_back(wrapped(converted(v, type), type));
  return make_integers(std::move(dims), std::move(whole), type);
}

ConstantPtr make_whole(Dims dims, int type, const std::vector<Whole>& values) {
  std::vector<int64_t> whole;
  for (const Whole v : values) whole.push_back(wrapped(static_cast<int64_t>(v), type));
  return make_integers(std::move(dims), std::move(whole), type);
}

ConstantPtr make_saturated(Dims dims, int type, const std::vector<double>& values) {
  if (!is_integer_type(type)) return make_constant(std::move(dims), type, values);
  const int bits = bits_of(type);
  const bool is_signed = is_signed_type(type);
  const Whole most = (Whole{1} << (is_signed ? bits - 1 : bits)) - 1,
              least = is_signed ? -most - 1 : 0;
  std::vector<Whole> whole;
  for (const double v : values)
    whole.push_back(v >= static_cast<double>(most)    ? most
                    : v <= static_cast<double>(least) ? least
                                                      : static_cast<Whole>(v));
  return make_whole(std::move(dims), type, whole);
}

ConstantPtr rounded(const Constant& constant, int type, bool saturates) {
  auto result = std::make_shared<Constant>(constant);
  result->type = type;
  for (float& value : result->reals) {
    if (type == TensorProto::FLOAT16) value = to_half(value);
    if (type == TensorProto::BFLOAT16) value = to_bfloat(value);
    if (is_signed_float8(type)) value = to_float8(value, type, saturates);
  }
  return result;
}

int bits_of(int type) {
  switch (type) {
    case TensorProto::BOOL:
      return 1;
    case TensorProto::INT2:
    case TensorProto::UINT2:
      return 2;
    case TensorProto::INT4:
    case TensorProto::UINT4:
      return 4;
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 8;
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return 16;
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 32;
    default:
      return 64;
  }
}

bool is_byte_type(int type) {
  return is_integer_type(type) && type != TensorProto::BOOL && bits_of(type) <= 8;
}

bool is_signed_type(int type) {
  return type == TensorProto::INT2 || type == TensorProto::INT4 || type == TensorProto::INT8 ||
         type == TensorProto::INT16 || type == TensorProto::INT32 || type == TensorProto::INT64;
}

std::pair<int64_t, int64_t> range_of(int type) {
  switch (type) {
    case TensorProto::INT8:
      return {INT8_MIN, INT8_MAX};
    case TensorProto::UINT8:
      return {0, UINT8_MAX};
    case TensorProto::INT16:
      return {INT16_MIN, INT16_MAX};
    case TensorProto::UINT16:
      return {0, UINT16_MAX};
    case TensorProto::INT2:
      return {-2, 1};
    case TensorProto::UINT2:
      return {0, 3};
    case TensorProto::INT4:
      return {-8, 7};
    case TensorProto::UINT4:
      return {0, 15};
    default:
      break;
  }
  const auto largest = static_cast<int64_t>(is_signed_float8(type) ? largest_of_float8(type) : 0);
  return {-largest, largest};
}

bool is_finite(const Constant& constant) {
  return std::ranges::all_of(constant.reals, [](float v) { return std::isfinite(v); });
}

}  // namespace tputwin::net::onnx_reader

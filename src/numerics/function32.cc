// The compositions, for numbers with the chip's rounding.
#include "numerics/function32.h"

#include <cmath>
#include <limits>

#include "numerics/float32.h"

namespace tputwin::function32 {
namespace {

// One number with the operations of float32.h, exact for NaN too.
struct Number {
  float value;
  explicit Number(float x) : value(x) {}
};
uint32_t bits(Number a) { return f32::bits(a.value); }
Number number(uint32_t bits) { return Number(f32::from_bits(bits)); }

Number operator+(Number a, Number b) { return Number(f32::add(a.value, b.value)); }
Number operator-(Number a, Number b) { return Number(f32::sub(a.value, b.value)); }
Number operator*(Number a, Number b) { return Number(f32::mul(a.value, b.value)); }
Number operator-(Number a) { return number(bits(a) ^ f32::kSignBit); }
bool operator>(Number a, Number b) { return a.value > b.value; }
bool operator<(Number a, Number b) { return a.value < b.value; }
Number select(bool condition, Number a, Number b) { return condition ? a : b; }
Number max(Number a, Number b) { return select(a > b, a, b); }
Number min(Number a, Number b) { return select(a < b, a, b); }
Number abs(Number a) { return number(bits(a) & ~f32::kSignBit); }
Number rint(Number a) { return Number(std::nearbyint(a.value)); }
Number round(Number a) { return Number(std::round(a.value)); }
Number sign_bit(Number a) { return number(bits(a) & f32::kSignBit); }
Number flip(Number a, Number b) { return number(bits(a) ^ bits(sign_bit(b))); }
Number bit_or(Number a, Number b) { return number(bits(a) | bits(b)); }
Number seed(Number a) {
  return number(0x5f37'59df - static_cast<uint32_t>(static_cast<int32_t>(bits(a)) >> 1));
}
bool is_zero(Number a) { return f32::bits(f32::ftz(a.value)) << 1 == 0; }
bool is_infinity(Number a) { return bits(a) == 0x7f80'0000; }
bool larger_bits(Number a, Number b) {
  return static_cast<int32_t>(bits(a)) > static_cast<int32_t>(bits(b));
}
Number exponent(Number a) {
  return Number(static_cast<float>(static_cast<int32_t>(bits(a) >> 23 & 0xff) - 127));
}
Number power_of_2(Number a) { return number(bits(a) & 0x7f80'0000); }
Number lookup(const AnyByteFloat* table, Number a) {
  return Number(table[static_cast<int>(a.value)]);
}

#define TW_FORMULA inline
#include "numerics/function32-inl.h"
#undef TW_FORMULA

template <Kind kKind>
Outcome outcome(Number x, Number y, const Parameters& p, const Tables& t) {
  const float result = function<kKind>(x, y, p, t).value;
  if constexpr (destroys_source(kKind)) return {result, sign_bit(half_periods<kKind>(x)).value};
  return {result, x.value};
}

template <Kind kKind>
uint32_t index(Number x, Number y, const Parameters& p, const Tables& t) {
  if constexpr (!is_exponential(kKind)) return 0;
  const float k = round(clamp_exponent(exponent_of<kKind>(x, y, p, t))).value;
  return static_cast<uint32_t>(k - kLeastExponent);
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[] = {
#define TW_NAME(name) #name,
      TW_FUNCTIONS32(TW_NAME)
#undef TW_NAME
  };
  return kNames[static_cast<size_t>(kind)];
}

Outcome evaluate(Kind kind, float x, float y, const Parameters& p, const Tables& t) {
  switch (kind) {
#define TW_CASE(name) \
  case Kind::name:    \
    return outcome<Kind::name>(Number(x), Number(y), p, t);
    TW_FUNCTIONS32(TW_CASE)
#undef TW_CASE
  }
  return {};
}

uint32_t table_index(Kind kind, float x, float y, const Parameters& p, const Tables& t) {
  switch (kind) {
#define TW_CASE(name) \
  case Kind::name:    \
    return index<Kind::name>(Number(x), Number(y), p, t);
    TW_FUNCTIONS32(TW_CASE)
#undef TW_CASE
  }
  return 0;
}

}  // namespace tputwin::function32

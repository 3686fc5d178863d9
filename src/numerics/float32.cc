// Roots, quotients and series, in the steps of the chip.
#include "numerics/float32.h"

#include <algorithm>
#include <array>

#include "numerics/constant_tables.h"

namespace tputwin::f32 {
namespace {

constexpr int32_t kFirstExponent = -103;

constexpr std::array<float, kMaxTerms + 1> kCoefficients = [] {
  std::array<float, kMaxTerms + 1> c{1.0f};
  for (uint32_t k = 1; k <= kMaxTerms; ++k) c[k] = ftz(c[k - 1] / static_cast<float>(k));
  return c;
}();

// Returns c[terms] * x^(terms - last) + ... + c[last], by Horner's rule.
float horner(float x, uint32_t terms, uint32_t last) {
  terms = std::min(terms, kMaxTerms);
  float sum = kCoefficients[terms];
  for (uint32_t k = terms; k-- > last;) sum = add(mul(sum, x), kCoefficients[k]);
  return sum;
}

// Returns the square of 1/sqrt(|b|).
float inverse_magnitude(float b) {
  const float r = rsqrt(from_bits(bits(b) & ~kSignBit));
  return mul(r, r);
}

}  // namespace

float rsqrt(float x) {
  // An arithmetic shift, then a difference modulo 2^32.
  float y = from_bits(0x5f37'59dfu - static_cast<uint32_t>(static_cast<int32_t>(bits(x)) >> 1));
  const float h = mul(x, 0.5f);
  for (int i = 0; i < 3; ++i) y = mul(y, sub(1.5f, mul(mul(h, y), y)));
  return y;
}

float div(float a, float b) {
  return mul(inverse_magnitude(b), from_bits(bits(a) ^ (bits(b) & kSignBit)));
}

int32_t to_int32(float x) {
  if ((bits(x) & ~kSignBit) >= 0x4f00'0000) return bits(x) & kSignBit ? INT32_MIN : INT32_MAX;
  return static_cast<int32_t>(x);
}

float lookup_exp(int32_t i) {
  const int32_t index = static_cast<int8_t>(i) - kFirstExponent;
  return index < 0 || index >= static_cast<int32_t>(kExpTable.words)
             ? 0.0f
             : from_bits(static_words()[static_cast<size_t>(index)]);
}

float exp_coefficient(uint32_t k) { return kCoefficients[k]; }

float taylor_exp(float x, uint32_t terms) { return horner(x, terms, 0); }

float taylor_exp_minus_1(float x, uint32_t terms) { return mul(horner(x, terms, 1), x); }

WithWork exp(float x, uint32_t terms) {
  const int32_t k = to_int32(x);
  const float scale = lookup_exp(k);
  const float w = taylor_exp_minus_1(sub(x, static_cast<float>(k)), terms);
  return {add(mul(w, scale), scale), w};
}

WithWork sigmoid(float x, uint32_t terms) {
  const float w = add(1.0f, exp(neg(x), terms).result);
  return {reciprocal(w), w};
}

WithWork tanh(float x, uint32_t terms) {
  const float e = exp(x, terms).result, inverse = reciprocal(e);
  const float w = mul(inverse, reciprocal(add(e, inverse)));
  return {sub(1.0f, mul(2.0f, w)), w};
}

}  // namespace tputwin::f32

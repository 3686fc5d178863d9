// fp32 arithmetic of the BM1684. Every step is rounded separately. All functions expect the thread
// to be in ScopedFloatMode. The order of operands matters for NaN: the first NaN is the result.
// bm1684-machine 7 and 8.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tputwin::f32 {

constexpr uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
constexpr float from_bits(uint32_t u) { return std::bit_cast<float>(u); }

constexpr uint32_t kSignBit = 0x8000'0000, kQuietBit = 0x0040'0000;
constexpr uint32_t kInfinity = 0x7f80'0000;  // also the mask of the exponent
constexpr uint32_t kInvalid = 0xffc0'0000;   // result of inf - inf and 0 * inf
constexpr uint32_t kSmallestNormal = 0x0080'0000;
constexpr float kLowest = -3.4028234663852886e38f;

constexpr bool is_nan(float x) { return (bits(x) & ~kSignBit) > kInfinity; }

// Flushes a subnormal to the zero of its sign.
constexpr float ftz(float x) {
  return (bits(x) & kInfinity) == 0 ? from_bits(bits(x) & kSignBit) : x;
}

// Returns the result of an operation on a and b, given its value for numbers. The first NaN operand
// has priority.
constexpr float with_nan(float a, float b, float result) {
  if (!is_nan(result)) [[likely]]
    return result;
  if (is_nan(a)) return from_bits(bits(a) | kQuietBit);
  if (is_nan(b)) return from_bits(bits(b) | kQuietBit);
  return from_bits(kInvalid);
}

// Returns a * b for numbers. The chip flushes results that are subnormal after rounding, as x86
// does. Arm flushes results that are subnormal before rounding, so it loses products that round up
// to the smallest normal number.
inline float product(float a, float b) {
  const float p = a * b;
#if defined(__aarch64__)
  constexpr double kRoundsUp = 0x1.ffffffp-127;
  if (p == 0.0f && std::fabs(double{a} * double{b}) >= kRoundsUp)
    return from_bits(bits(p) | kSmallestNormal);
#endif
  return p;
}

inline float add(float a, float b) { return with_nan(a, b, a + b); }
inline float sub(float a, float b) { return with_nan(a, b, a - b); }
inline float mul(float a, float b) { return with_nan(a, b, product(a, b)); }
// Returns (a * b) + d with two roundings.
inline float mac(float a, float b, float d) { return add(mul(a, b), d); }

// NaN and ties give b. A compiler's own maximum treats them differently; ftz() works on bits, which
// rules that out.
inline float max(float a, float b) { return a > b ? ftz(a) : ftz(b); }
// Does not flush; ties give a.
inline float min(float a, float b) { return from_bits(a <= b ? bits(a) : bits(b)); }

float rsqrt(float x);
float div(float a, float b);
inline float reciprocal(float x) { return div(1.0f, x); }
inline float sqrt(float x) { return reciprocal(rsqrt(x)); }
inline float neg(float x) { return sub(0.0f, x); }
inline float relu(float x) { return x > 0.0f ? x : 0.0f; }

// Truncates. Large values, infinities and NaN give the limit of their sign.
int32_t to_int32(float x);
inline float truncate(float x) { return static_cast<float>(to_int32(x)); }
// Returns the low 8 bits as a signed number.
inline float lookup_int8(int32_t i) { return static_cast<float>(static_cast<int8_t>(i)); }

// Returns e^j from a table, where j is the low 8 bits of i as a signed number; 0 outside [-103,
// 88]. The smallest entries are subnormal.
float lookup_exp(int32_t i);
// Returns coefficient k of the Taylor series of e^x, k in [0, kMaxTerms]. Each is the previous one
// divided by k. From 34 on they are 0.
constexpr uint32_t kMaxTerms = 64;
float exp_coefficient(uint32_t k);
// Return the series with terms + 1 coefficients, and the same series without its constant 1. More
// than kMaxTerms terms change nothing.
float taylor_exp(float x, uint32_t terms);
float taylor_exp_minus_1(float x, uint32_t terms);

// The result of a function, and the value that it leaves in its work tensor.
struct WithWork {
  float result, work;
};
WithWork exp(float x, uint32_t terms);
WithWork sigmoid(float x, uint32_t terms);
WithWork tanh(float x, uint32_t terms);

}  // namespace tputwin::f32

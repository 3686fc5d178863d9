// The BM1684's fp32 arithmetic as its documents describe it, on bit patterns, written for the
// tests. Every operation rounds separately; subnormals are zeros; the first NaN operand becomes
// quiet; invalid operations give 0xffc00000.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tputwin::okktest {

using Bits = uint32_t;

inline float as_float(Bits bits) { return std::bit_cast<float>(bits); }
inline Bits as_bits(float value) { return std::bit_cast<Bits>(value); }
inline bool is_nan(Bits bits) { return (bits & 0x7fffffff) > 0x7f800000; }
inline Bits flushed(Bits bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

// The host's register of floating-point modes, and its bits that flush operands and results.
#if defined(__x86_64__)
constexpr uint64_t kFlushBits = 0x8040;  // MXCSR: FTZ, DAZ
inline uint64_t float_modes() { return __builtin_ia32_stmxcsr(); }
inline void set_float_modes(uint64_t modes) {
  __builtin_ia32_ldmxcsr(static_cast<unsigned>(modes));
}
#elif defined(__aarch64__)
constexpr uint64_t kFlushBits = 1 << 24;  // FPCR: FZ
inline uint64_t float_modes() {
  uint64_t modes;
  asm volatile("mrs %0, fpcr" : "=r"(modes));
  return modes;
}
inline void set_float_modes(uint64_t modes) {
  asm volatile("msr fpcr, %0" ::"r"(modes) : "memory");
}
#endif

// Sets the host's flush-to-zero and denormals-are-zero mode during its lifetime.
class FlushToZero {
 public:
  FlushToZero() : before_(float_modes()) { set_float_modes(before_ | kFlushBits); }
  ~FlushToZero() { set_float_modes(before_); }
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  uint64_t before_;
};

template <class Operator>
Bits arithmetic(Bits a, Bits b, Operator op) {
  if (is_nan(a)) return a | 0x400000;
  if (is_nan(b)) return b | 0x400000;
  const Bits result = as_bits(op(as_float(a), as_float(b)));
  return is_nan(result) ? 0xffc00000 : result;
}
inline Bits add(Bits a, Bits b) {
  return arithmetic(a, b, [](float x, float y) { return x + y; });
}
inline Bits sub(Bits a, Bits b) {
  return arithmetic(a, b, [](float x, float y) { return x - y; });
}
inline Bits mul(Bits a, Bits b) {
  return arithmetic(a, b, [](float x, float y) { return x * y; });
}
inline bool greater(Bits a, Bits b) { return as_float(flushed(a)) > as_float(flushed(b)); }
inline Bits max(Bits a, Bits b) { return greater(a, b) ? flushed(a) : flushed(b); }
inline Bits min(Bits a, Bits b) { return as_float(flushed(a)) <= as_float(flushed(b)) ? a : b; }
inline Bits relu(Bits x) { return greater(x, 0) ? x : 0; }

inline Bits rsqrt(Bits x) {
  Bits y = 0x5f3759df - static_cast<Bits>(static_cast<int32_t>(x) >> 1);
  const Bits half = mul(x, as_bits(0.5f));
  for (int step = 0; step < 3; step++) y = mul(y, sub(as_bits(1.5f), mul(mul(half, y), y)));
  return y;
}
inline Bits div(Bits a, Bits b) {
  const Bits r = rsqrt(b & 0x7fffffff);
  return mul(mul(r, r), a ^ (b & 0x80000000));
}
inline Bits reciprocal(Bits x) { return div(as_bits(1.0f), x); }
inline Bits sqrt(Bits x) { return reciprocal(rsqrt(x)); }

// Returns e^i for i in [-103, 88], correctly rounded; the index is the low 8 bits.
inline Bits lookup_exp(int32_t index) {
  const int i = static_cast<int8_t>(index);
  return -103 <= i && i <= 88 ? as_bits(static_cast<float>(std::exp(static_cast<long double>(i))))
                              : 0;
}
inline Bits lookup_int(int32_t index) {
  return as_bits(static_cast<float>(static_cast<int8_t>(index)));
}

inline int32_t truncated(Bits x) {
  if ((x & 0x7fffffff) >= 0x4f000000) return x >> 31 ? INT32_MIN : INT32_MAX;
  return static_cast<int32_t>(as_float(flushed(x)));
}

// Returns 1/k! by repeated division.
inline Bits coefficient(int k) {
  static const std::array<Bits, 65> table = [] {
    std::array<Bits, 65> c{};
    FlushToZero mode;
    volatile float value = 1;
    for (int i = 0; i <= 64; i++) {
      if (i) value = value / static_cast<float>(i);
      c[i] = as_bits(value);
    }
    return c;
  }();
  return table[k];
}
inline Bits taylor_exp(Bits x, int series) {
  Bits sum = coefficient(series);
  for (int k = series - 1; k >= 0; k--) sum = add(mul(sum, x), coefficient(k));
  return sum;
}

// The result, and the contents of the work tensor afterwards.
struct WithWork {
  Bits result, work;
};
inline WithWork exp(Bits x, int series) {
  const int32_t k = truncated(x);
  const Bits f = sub(x, as_bits(static_cast<float>(k)));
  Bits w = coefficient(series);
  for (int i = series - 1; i >= 1; i--) w = add(mul(w, f), coefficient(i));
  w = mul(w, f);
  const Bits t = lookup_exp(k);
  return {add(mul(w, t), t), w};
}
inline WithWork sigmoid(Bits x, int series) {
  const Bits w = add(as_bits(1.0f), exp(sub(0, x), series).result);
  return {reciprocal(w), w};
}
inline WithWork tanh(Bits x, int series) {
  const Bits e = exp(x, series).result;
  const Bits r = reciprocal(e);
  const Bits w = mul(r, reciprocal(add(e, r)));
  return {sub(as_bits(1.0f), mul(as_bits(2.0f), w)), w};
}

}  // namespace tputwin::okktest

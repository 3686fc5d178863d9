// The numbers with which calls are tested: all 8-bit ones; for wider types border values, powers
// and random bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "selftest/rng.h"

namespace tputwin::vectors {

template <class T>
struct Pairs {
  std::vector<T> a, b;

  void add(T x, T y) {
    a.push_back(x);
    b.push_back(y);
  }
  // Pads to whole vectors of any length up to 2048 bits.
  void fill() {
    while (a.size() % 256 != 0) add(a[a.size() % 7], b[b.size() % 5]);
  }
};

// Returns bit patterns of T at which results change.
template <class T>
std::vector<T> borders() {
  using U = std::conditional_t<sizeof(T) == 1, uint8_t,
                               std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;
  std::vector<T> values;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
    for (int offset = -1; offset <= 1; ++offset)
      for (bool negative : {false, true}) {
        const U power = static_cast<U>((uint64_t{1} << bit) + static_cast<uint64_t>(offset));
        const U value = static_cast<U>(negative ? 0u - power : power);
        values.push_back(std::bit_cast<T>(value));
      }
  return values;
}

template <class T>
T random_value(testing::Rng& rng) {
  T value;
  const uint64_t bits = rng.next();
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// fp32: signed zeros, subnormals, ties, limits of integers, infinities, NaN of every kind.
template <>
inline std::vector<float> borders<float>() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values{0,
                            0x1p-149f,
                            0x1.fffffcp-127f,
                            0x1p-126f,
                            0x1p-24f,
                            0.25f,
                            0x1.fffffep-2f,
                            0.5f,
                            0x1.000002p-1f,
                            0x1.fffffep-1f,
                            1,
                            1.5f,
                            2.5f,
                            3.5f,
                            127.5f,
                            255.5f,
                            32767.5f,
                            65504,
                            65519.996f,
                            65520,
                            8388607.5f,
                            8388608,
                            8388609,
                            16777215,
                            16777216,
                            2147483520.0f,
                            2147483648.0f,
                            4294967296.0f,
                            Limits::max(),
                            Limits::infinity(),
                            Limits::quiet_NaN(),
                            std::bit_cast<float>(0x7f800001),
                            std::bit_cast<float>(0x7fffffff)};
  for (size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <class T>
Pairs<T> pairs() {
  Pairs<T> result;
  if constexpr (sizeof(T) == 1) {
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b) result.add(static_cast<T>(a), static_cast<T>(b));
  } else {
    const std::vector<T> values = borders<T>();
    for (T a : values)
      for (T b : values) result.add(a, b);
    testing::Rng rng(sizeof(T), std::is_signed_v<T>);
    for (int i = 0; i < 4000; ++i) result.add(random_value<T>(rng), random_value<T>(rng));
  }
  result.fill();
  return result;
}

// Compares bits; any two NaNs are equal.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_same_v<T, float>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Returns the number to which T's bits wrap.
template <class T, class W>
T wrap(W value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

}  // namespace tputwin::vectors

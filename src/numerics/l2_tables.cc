// The constants of the BM1684's L2-SRAM, word for word.
#include "numerics/l2_tables.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "numerics/float32.h"
#include "numerics/float_mode.h"

namespace tputwin {
namespace {

// Powers of e; the tables contain 0 outside this range.
constexpr int kFirstPower = -103, kLastPower = 88;

float as_int8(uint32_t i) { return static_cast<float>(static_cast<int8_t>(i)); }
float as_power(uint32_t i) {
  const auto j = static_cast<int8_t>(i);
  return kFirstPower <= j && j <= kLastPower ? static_cast<float>(j) : 0.0f;
}
float logarithm(uint32_t i) {
  return static_cast<float>((static_cast<double>(i) - 127) * std::numbers::ln2);
}
float number(uint32_t i) { return static_cast<float>(i); }
float alternating(uint32_t i) {
  return static_cast<float>((i % 2 == 0 ? 1.0 : -1.0) / (static_cast<double>(i) + 1));
}

// Returns 1 / (i + 1)!, each divided from the previous one.
float inverse_factorial(uint32_t i) {
  float c = 1.0f;
  for (uint32_t k = 1; k <= i; ++k) c /= static_cast<float>(k + 1);
  return c;
}
float sine(uint32_t i) {
  if (i % 2 != 0) return 0.0f;
  return i / 2 % 2 == 0 ? inverse_factorial(i) : -inverse_factorial(i);
}
// Returns (1 * 3 * 5 ...) / (2 * 4 * 6 ...) / (i + 1), or the invalid NaN once the products
// overflow.
float arcsine(uint32_t i) {
  if (i % 2 != 0) return 0.0f;
  float odd = 1.0f, even = 1.0f;
  for (uint32_t k = 1; k <= i / 2; ++k) {
    odd *= static_cast<float>(2 * k - 1);
    even *= static_cast<float>(2 * k);
  }
  if (std::isinf(odd)) return f32::from_bits(f32::kInvalid);
  return odd / even / static_cast<float>(i + 1);
}

struct Table {
  uint32_t offset, words;
  float (*word)(uint32_t);
};
constexpr Table kTables[] = {
    {kL2Tables, 256, as_power},
    {kL2Exp, 256, [](uint32_t i) { return f32::lookup_exp(static_cast<int32_t>(i)); }},
    {0x30'0800, 256, logarithm},
    {kL2ExpCoefficients, 64, inverse_factorial},
    {0x30'0d00, 64, alternating},
    {0x30'0e00, 64, arcsine},
    {0x30'0f00, 256, number},
    {kL2Int8, 256, as_int8},
    {0x30'1700, 64, sine},
    {0x30'1800, 2048, number}};

// The bytes of the numbers from 0 to 65535; low bytes and high bytes have separate tables.
constexpr uint32_t kLowBytes = 0x30'3800, kHighBytes = 0x31'3800, kNumbers = 0x1'0000;

[[gnu::noinline]] void fill(uint8_t* to) {
  for (const Table& table : kTables)
    for (uint32_t i = 0; i < table.words; ++i) {
      const uint32_t bits = f32::bits(table.word(i));
      std::memcpy(to + (table.offset - kL2Tables) + 4 * i, &bits, sizeof bits);
    }
  for (uint32_t i = 0; i < kNumbers; ++i) {
    to[kLowBytes - kL2Tables + i] = static_cast<uint8_t>(i);
    to[kHighBytes - kL2Tables + i] = static_cast<uint8_t>(i >> 8);
  }
}

}  // namespace

void fill_l2_tables(uint8_t* to) {
  const ScopedFloatMode mode(ScopedFloatMode::ieee);  // subnormals are kept
  fill(to);
}

}  // namespace tputwin

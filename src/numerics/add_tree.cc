// Alignment to the largest exponent, exact addition, one rounding.
#include "numerics/add_tree.h"

#include <algorithm>
#include <bit>

#include "numerics/float32.h"

namespace tputwin {
namespace {

constexpr uint32_t exponent_of(float x) { return f32::bits(x) >> 23 & 0xff; }

// Returns a number in units of 2^(exponent - 127 - 24).
int64_t aligned(float x, uint32_t exponent) {
  if (exponent_of(x) == 0) return 0;
  const uint32_t significand = (f32::bits(x) & 0x007f'ffff) | 0x0080'0000;
  const uint32_t shift = std::min(exponent - exponent_of(x), 31u);
  const int64_t magnitude = (significand << 1) >> shift;
  return (f32::bits(x) & f32::kSignBit) != 0 ? -magnitude : magnitude;
}

// Returns the sum of a group that has infinities or NaN. Infinities of both signs are invalid,
// those of one sign have priority over NaN, and every NaN gives the invalid one.
float special_sum(std::span<const float> values) {
  bool positive = false, negative = false;
  for (float value : values) {
    positive |= f32::bits(value) == f32::kInfinity;
    negative |= f32::bits(value) == (f32::kInfinity | f32::kSignBit);
  }
  if (positive == negative) return f32::from_bits(f32::kInvalid);
  return f32::from_bits(positive ? f32::kInfinity : f32::kInfinity | f32::kSignBit);
}

}  // namespace

float add_tree(std::span<const float> values) {
  uint32_t largest = 0;
  for (float value : values) largest = std::max(largest, exponent_of(value));
  if (largest == 0xff) return special_sum(values);
  int64_t sum = 0;
  for (float value : values) sum += aligned(value, largest);
  const auto unit = std::bit_cast<double>((uint64_t{largest} + 1023 - 127 - 24) << 52);
  return static_cast<float>(static_cast<double>(sum) * unit);
}

}  // namespace tputwin

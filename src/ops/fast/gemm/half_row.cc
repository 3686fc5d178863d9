// Drops of factors, and what is sure of a group.
#include "ops/fast/gemm/half_row.h"

#include <algorithm>

#include "base/bits.h"
#include "numerics/float32.h"

namespace tputwin::fast {
namespace {

// Factors of bf16 outside of these exponents, and sums of groups below the least one, are left to
// others: what aligns products is a number of fp32 then, and no product leaves fp32 on its way.
constexpr int kLeastFactor = -40, kMostFactor = 39, kLeastSum = -60;

constexpr uint32_t kFractionOfOne = 1 << 23;

int exponent_of(float x) { return static_cast<int>(f32::bits(x) >> 23 & 0xff) - 127; }
bool is_zero(float x) { return (f32::bits(x) & ~f32::kSignBit) == 0; }

}  // namespace

// With the significands one + x of b and one + y of a, `one` being 1: the product is 2 or more if
// x is at least the threshold.
uint32_t HalfRow::drop_of(float factor, int highest) const {
  const auto pair = [](uint32_t drop) { return drop | drop << 16; };
  if (is_zero(factor)) return pair(kLargestDrop);
  const uint32_t one = 1u << fraction_bits();
  const uint32_t y = f32::bits(factor) % kFractionOfOne >> (23 - fraction_bits());
  const uint32_t threshold = ceil_div(2 * one * one, one + y) - one;
  const auto steps = static_cast<uint32_t>(highest + 1 - exponent_of(factor));
  return pair(std::min<uint32_t>(steps * one - (one - threshold), kLargestDrop));
}

HalfGroup HalfRow::group_of(int highest) const {
  const int top = highest + 1 - bias();
  const int least = dtype == DType::f16 ? 1 : std::max(1, kLeastSum - top);
  return {top, static_cast<int16_t>(least << fraction_bits())};
}

bool HalfRow::set(const std::vector<uint32_t>& words) {
  const int most = dtype == DType::f16 ? 16 : kMostFactor + 1;  // of b, exclusive
  largest = static_cast<int16_t>(((most + bias()) << fraction_bits()) - 1);
  factors.clear(), drops.clear(), groups.clear();
  for (const uint32_t word : words) factors.push_back(f32::from_bits(word));
  for (size_t first = 0; first < factors.size(); first += kAddTreeGroup) {
    const size_t end = std::min<size_t>(first + kAddTreeGroup, factors.size());
    int highest = kLeastFactor;
    for (size_t i = first; i < end; ++i) {
      if (is_zero(factors[i])) continue;
      const int exponent = exponent_of(factors[i]);
      if (exponent < kLeastFactor || exponent > kMostFactor) return false;
      highest = std::max(highest, exponent);
    }
    for (size_t i = first; i < end; ++i) drops.push_back(drop_of(factors[i], highest));
    groups.push_back(group_of(highest));
  }
  return true;
}

}  // namespace tputwin::fast

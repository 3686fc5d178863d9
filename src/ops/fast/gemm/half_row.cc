// Drops of factors, and what is sure of a group.
#include "ops/fast/gemm/half_row.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "numerics/float32.h"

namespace tputwin::fast {
namespace {

// Factors of bf16 outside of these exponents, and sums of groups below the least one, are left to
// others: what aligns products is a number of fp32 then, and no product leaves fp32 on its way.
constexpr int kLeastFactor = -40, kMostFactor = 39, kLeastSum = -60;

constexpr uint32_t kFractionOfOne = 1 << 23;

int exponent_of(uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff) - 127; }

// With the significands one + x of b and one + y of a, `one` being 1 << kFractionBits: the product
// is 2 or more if x is at least the threshold of y. What is missing to it from `one` on.
template <uint32_t kFractionBits>
constexpr auto kMissing = [] {
  constexpr uint32_t kOne = 1u << kFractionBits;
  std::array<uint16_t, kOne> missing;
  for (uint32_t y = 0; y < kOne; ++y)
    missing[y] = static_cast<uint16_t>(2 * kOne - ceil_div(2 * kOne * kOne, kOne + y));
  return missing;
}();

int16_t drop_of(float factor, int highest, const uint16_t* missing, int fraction_bits) {
  const uint32_t bits = f32::bits(factor);
  if ((bits & ~f32::kSignBit) == 0) return HalfRow::kLargestDrop;
  const uint32_t y = bits % kFractionOfOne >> (23 - fraction_bits);
  const int drop = ((highest + 1 - exponent_of(bits)) << fraction_bits) - missing[y];
  return static_cast<int16_t>(std::min<int>(drop, HalfRow::kLargestDrop));
}

}  // namespace

void HalfRow::add_group(int highest) {
  const int top = highest + 1 - bias();
  const int least = dtype == DType::f16 ? 1 : std::max(1, kLeastSum - top);
  tops.push_back(top);
  leasts.push_back(static_cast<int16_t>(least << fraction_bits()));
}

bool HalfRow::set(const std::vector<uint32_t>& words) {
  const int most = dtype == DType::f16 ? 16 : kMostFactor + 1;  // of b, exclusive
  const uint16_t* const missing = dtype == DType::f16 ? kMissing<10>.data() : kMissing<7>.data();
  largest = static_cast<int16_t>(((most + bias()) << fraction_bits()) - 1);
  const size_t count = align_up(words.size(), size_t{kAddTreeGroup});
  factors.assign(count, 0.0f);
  drops.resize(count), pairs_of_drops.resize(count);
  tops.clear(), leasts.clear();
  std::memcpy(factors.data(), words.data(), words.size() * sizeof(float));
  for (size_t first = 0; first < count; first += kAddTreeGroup) {
    const std::span group(factors.data() + first, kAddTreeGroup);
    uint32_t low = f32::kInfinity, high = 0;  // magnitudes: as bits they are in their order
    for (const float factor : group) {
      const uint32_t magnitude = f32::bits(factor) & ~f32::kSignBit;
      low = std::min(low, magnitude == 0 ? f32::kInfinity : magnitude);
      high = std::max(high, magnitude);
    }
    if (high != 0 && (exponent_of(low) < kLeastFactor || exponent_of(high) > kMostFactor))
      return false;
    const int highest = std::max(exponent_of(high), kLeastFactor);
    for (size_t i = 0; i < group.size(); ++i) {
      const int16_t drop = drop_of(group[i], highest, missing, fraction_bits());
      drops[first + i] = drop;
      pairs_of_drops[first + i] = static_cast<uint32_t>(drop) * 0x10001;
    }
    add_group(highest);
  }
  tops.resize(align_up(tops.size(), kMostGroups));
  leasts.resize(tops.size());
  return true;
}

}  // namespace tputwin::fast

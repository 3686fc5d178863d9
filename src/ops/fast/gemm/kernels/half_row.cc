// Computes the thresholds of factors, and the bounds for which a group is exact (half_row.h).
#include "ops/fast/gemm/kernels/half_row.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {
namespace {

// The general kernel handles bf16 factors outside of these exponents and sums of groups below the
// smallest one. Inside, the number that aligns products is in the range of fp32, and no product
// leaves that range.
constexpr int kMinFactorExponent = -40, kMaxFactorExponent = 39, kMinSumExponent = -60;

int exponent_of(uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff) - 127; }

// carry_distance of half_row.h, for each fraction y. ceil_div() is t(y) + 2^f.
template <uint32_t kFractionBits>
constexpr auto kCarryDistance = [] {
  constexpr uint32_t kOne = 1u << kFractionBits;
  std::array<int32_t, kOne> distances;
  for (uint32_t y = 0; y < kOne; ++y)
    distances[y] = static_cast<int32_t>(2 * kOne - ceil_div(2 * kOne * kOne, kOne + y));
  return distances;
}();

static_assert(kCarryDistance<10>[0] == 0 && kCarryDistance<10>[512] == 682 &&
              kCarryDistance<10>[1023] == 1023);

}  // namespace

void HalfRow::add_group(int max_exponent) {
  const int base = max_exponent + 1 - bias();
  // the smallest normal number is 1 octave
  const int min_octave = dtype == DType::f16 ? 1 : std::max(1, kMinSumExponent - base);
  base_exponents.push_back(base);
  min_exact_differences.push_back(static_cast<int16_t>(min_octave << fraction_bits()));
}

bool HalfRow::set(const std::vector<uint32_t>& words) {
  const TileKernels kernels = tile_kernels();
  // exponent of b, exclusive
  const int exponent_end = dtype == DType::f16 ? 16 : kMaxFactorExponent + 1;
  const int32_t* const carry_distance =
      dtype == DType::f16 ? kCarryDistance<10>.data() : kCarryDistance<7>.data();
  max_magnitude = static_cast<int16_t>(((exponent_end + bias()) << fraction_bits()) - 1);
  const size_t count = align_up(words.size(), size_t{kAddTreeGroup});
  factors.assign(count, 0.0f);
  thresholds.resize(count);
  threshold_pairs.resize(count);
  base_exponents.clear();
  min_exact_differences.clear();
  std::memcpy(factors.data(), words.data(), words.size() * sizeof(float));
  for (size_t first = 0; first < count; first += kAddTreeGroup) {
    const auto [smallest, largest] = kernels.magnitudes(factors.data() + first);
    if (largest != 0 &&
        (exponent_of(smallest) < kMinFactorExponent || exponent_of(largest) > kMaxFactorExponent))
      return false;
    const int max_exponent = std::max(exponent_of(largest), kMinFactorExponent);
    kernels.thresholds({factors.data() + first, max_exponent, fraction_bits(), carry_distance},
                       thresholds.data() + first, threshold_pairs.data() + first);
    add_group(max_exponent);
  }
  base_exponents.resize(align_up(base_exponents.size(), kMostGroups));
  min_exact_differences.resize(base_exponents.size());
  return true;
}

}  // namespace tputwin::fast

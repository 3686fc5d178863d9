// Computes the drops of factors, and the bounds for which a group is exact.
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
constexpr int kLeastFactor = -40, kMostFactor = 39, kLeastSum = -60;

int exponent_of(uint32_t bits) { return static_cast<int>(bits >> 23 & 0xff) - 127; }

// Let one + x and one + y be the significands of b and a, with one = 1 << kFractionBits. The
// product is 2 or more if x is at least a threshold that depends on y. kMissing[y] is `one` minus
// that threshold.
template <uint32_t kFractionBits>
constexpr auto kMissing = [] {
  constexpr uint32_t kOne = 1u << kFractionBits;
  std::array<int32_t, kOne> missing;
  for (uint32_t y = 0; y < kOne; ++y)
    missing[y] = static_cast<int32_t>(2 * kOne - ceil_div(2 * kOne * kOne, kOne + y));
  return missing;
}();

}  // namespace

void HalfRow::add_group(int highest) {
  const int top = highest + 1 - bias();
  const int least = dtype == DType::f16 ? 1 : std::max(1, kLeastSum - top);
  tops.push_back(top);
  leasts.push_back(static_cast<int16_t>(least << fraction_bits()));
}

bool HalfRow::set(const std::vector<uint32_t>& words) {
  const TileKernels kernels = tile_kernels();
  const int most = dtype == DType::f16 ? 16 : kMostFactor + 1;  // exponent of b, exclusive
  const int32_t* const missing = dtype == DType::f16 ? kMissing<10>.data() : kMissing<7>.data();
  largest = static_cast<int16_t>(((most + bias()) << fraction_bits()) - 1);
  const size_t count = align_up(words.size(), size_t{kAddTreeGroup});
  factors.assign(count, 0.0f);
  drops.resize(count), pairs_of_drops.resize(count);
  tops.clear(), leasts.clear();
  std::memcpy(factors.data(), words.data(), words.size() * sizeof(float));
  for (size_t first = 0; first < count; first += kAddTreeGroup) {
    const auto [low, high] = kernels.magnitudes(factors.data() + first);
    if (high != 0 && (exponent_of(low) < kLeastFactor || exponent_of(high) > kMostFactor))
      return false;
    const int highest = std::max(exponent_of(high), kLeastFactor);
    kernels.drops({factors.data() + first, highest, fraction_bits(), missing}, drops.data() + first,
                  pairs_of_drops.data() + first);
    add_group(highest);
  }
  tops.resize(align_up(tops.size(), kMostGroups));
  leasts.resize(tops.size());
  return true;
}

}  // namespace tputwin::fast

// Search for the grid of weights of four bits.
#include "bmnet/targets/bm1684x/products/packed_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

constexpr int kMostCode = 15, kUsualZero = 8;
constexpr int64_t kFewWeights = 1 << 14;
// Scales are at least a fifteenth of it. A sixteenth of a scale is a normal number of fp32.
constexpr float kLeastLargest = 256 * std::numeric_limits<float>::min();

struct Grid {
  float scale = 0;
  int zero = kUsualZero;
};

// Returns the least and the largest code before the zero is added; nullopt if a weight is not on
// the grid.
std::optional<std::pair<int, int>> range_on_grid(std::span<const float> weights, float scale,
                                                 DType type) {
  int least = 0, most = 0;
  for (const float w : weights) {
    const float code = std::nearbyint(w / scale);
    if (!(std::fabs(code) <= kMostCode) ||
        float_bits(code * scale + 0.0f, type) != float_bits(w + 0.0f, type))
      return std::nullopt;
    least = std::min(least, static_cast<int>(code));
    most = std::max(most, static_cast<int>(code));
    if (most - least > kMostCode) return std::nullopt;
  }
  return std::pair(least, most);
}

// The largest weight is 1 to 15 steps. A quotient may differ from the scale by its last bit.
std::optional<Grid> grid_of(std::span<const float> weights, DType type) {
  float largest = 0;
  for (const float w : weights) largest = std::max(largest, std::fabs(w));
  if (largest == 0) return Grid{};
  if (!std::isfinite(largest) || largest < kLeastLargest) return std::nullopt;
  for (int steps = 1; steps <= kMostCode; ++steps) {
    const float quotient = largest / static_cast<float>(steps);
    for (const float scale :
         {quotient, std::nextafter(quotient, 0.0f), std::nextafter(quotient, HUGE_VALF)})
      if (const auto range = range_on_grid(weights, scale, type)) {
        const bool is_usual =
            range->first >= -kUsualZero && range->second <= kMostCode - kUsualZero;
        return Grid{scale, is_usual ? kUsualZero : -range->first};
      }
  }
  return std::nullopt;
}

std::optional<PackedWeights> packed_by(std::span<const float> matrix, int64_t rows, int64_t block,
                                       DType type) {
  PackedWeights packed{.rows = rows,
                       .length = static_cast<int64_t>(matrix.size()) / rows,
                       .block = block,
                       .codes = std::vector<uint8_t>(matrix.size() / 2),
                       .scales = {},
                       .zeros = {}};
  const int64_t half = packed.length / 2;
  for (int64_t first = 0; first < static_cast<int64_t>(matrix.size()); first += block) {
    const auto weights = matrix.subspan(static_cast<size_t>(first), static_cast<size_t>(block));
    const auto grid = grid_of(weights, type);
    if (!grid) return std::nullopt;
    packed.scales.push_back(grid->scale);
    packed.zeros.push_back(static_cast<float>(grid->zero));
    for (int64_t i = 0; i < block; ++i) {
      const int64_t row = (first + i) / packed.length, at = (first + i) % packed.length;
      const float w = weights[static_cast<size_t>(i)];
      const int code = grid->scale == 0 ? 0 : static_cast<int>(std::nearbyint(w / grid->scale));
      const int bits = (code + grid->zero) << (at < half ? 0 : 4);
      packed.codes[static_cast<size_t>(row * half + at % half)] |= static_cast<uint8_t>(bits);
    }
  }
  return packed;
}

}  // namespace

std::optional<PackedWeights> packed_weights(std::span<const float> matrix, int64_t rows,
                                            DType type) {
  const auto length = static_cast<int64_t>(matrix.size()) / rows;
  if (static_cast<int64_t>(matrix.size()) < kFewWeights) return std::nullopt;
  for (const int64_t block : {128, 64, 32, 16})
    // Each half of a row has whole blocks.
    if (length % (2 * block) == 0)
      if (auto packed = packed_by(matrix, rows, block, type)) return packed;
  return std::nullopt;
}

}  // namespace tputwin::net::bm1684x

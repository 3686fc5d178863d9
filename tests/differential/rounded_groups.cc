// Sums that are rounded to 16 bits from plain sums, compared with the adder tree. Many factors are
// chosen so that sums are close to where the rounding changes, or are cut off, cancel, or overflow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "numerics/add_tree.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "selftest/rng.h"

namespace tputwin::testing {
namespace {

using fast::ExponentRange;
using fast::TileKernels;

enum class Factors : uint8_t {
  usual,
  ties,
  cancelling,
  cut_off,
  sparse,
  zeros,
  wide,
  equal,
  count
};

float power(int exponent) { return std::ldexp(1.0f, exponent); }

// One tile: factors of `channels` channels and `taps` taps, and start values.
class RandomTile {
 public:
  RandomTile(Rng& rng, DType type, Factors factors, const TileKernels& kernels)
      : rng_(rng), type_(type), factors_(factors), kernels_(kernels) {
    channels_ = rng.coin() ? rng.range(1, 80) : 32 * rng.range(1, 3);
    taps_ = rng.range(1, 4);
    rows_ = rng.range(1, kernels.rows);
    vectors_ = rng.range(1, kernels.wide_vectors);
    for (uint32_t t = 0; t < taps_; ++t) offsets_.push_back(rng.range(0, 5));
    columns_ = vectors_ * kernels.vector_elements;
    pitch_ = columns_ + 8;
    groups_ = (channels_ + kAddTreeGroup - 1) / kAddTreeGroup;
    left_.resize(groups_ * taps_ * kAddTreeGroup * rows_ + fast::kTilePitch);
    right_.resize(channels_ * pitch_ + 2 * fast::kTilePitch);
    for (uint32_t g = 0; g < groups_ * taps_; ++g)
      for (uint32_t row = 0; row < rows_; ++row)
        draw_group(g == 0, &left_[g * kAddTreeGroup * rows_ + row]);
    for (uint32_t c = 0; c < channels_; ++c)
      for (size_t x = 0; x < pitch_; ++x) right_[c * pitch_ + x] = bits_of(input(c));
    for (uint32_t row = 0; row < rows_; ++row) starts_.push_back(start());
  }

  // Returns the number of recomputed results, or -1 if products are not normal. The kernel can have
  // the factors in pairs of channels.
  int64_t run(bool has_pairs) {
    ExponentRange a, b;
    kernels_.exponents(left_.data(), left_.size(), a);
    kernels_.exponents(right_.data(), right_.size(), b);
    if (!have_normal_products(a, b)) return -1;
    std::vector<float> left_sizes(groups_ * taps_ * rows_), right_sizes(groups_ * pitch_ + 128);
    for (uint32_t g = 0; g < groups_; ++g) {
      const uint32_t count = std::min(kAddTreeGroup, channels_ - g * kAddTreeGroup);
      kernels_.sizes(&right_[g * kAddTreeGroup * pitch_], pitch_, count, pitch_, type_,
                     &right_sizes[g * pitch_]);
      for (uint32_t t = 0; t < taps_; ++t)
        kernels_.sizes(&left_[(g * taps_ + t) * kAddTreeGroup * rows_], rows_, count, rows_, type_,
                       &left_sizes[(g * taps_ + t) * rows_]);
    }
    const uint32_t cells = kAddTreeGroup / 2;
    std::vector<uint32_t> left_pairs(groups_ * taps_ * cells * rows_);
    std::vector<uint32_t> right_pairs(groups_ * cells * pitch_ + 128);
    for (uint32_t g = 0; g < groups_ && has_pairs; ++g) {
      const uint32_t count = std::min(kAddTreeGroup, channels_ - g * kAddTreeGroup);
      kernels_.pairs(&right_[g * kAddTreeGroup * pitch_], pitch_, count, pitch_,
                     &right_pairs[g * cells * pitch_]);
      for (uint32_t t = 0; t < taps_; ++t)
        kernels_.pairs(&left_[(g * taps_ + t) * kAddTreeGroup * rows_], rows_, count, rows_,
                       &left_pairs[(g * taps_ + t) * cells * rows_]);
    }
    fast::Groups groups{pitch_, channels_, taps_, offsets_.data(), true};
    groups.left_sizes = left_sizes.data();
    groups.right_sizes = right_sizes.data();
    if (has_pairs) {
      groups.left_pairs = left_pairs.data();
      groups.right_pairs = right_pairs.data();
    }
    return kernels_
        .rounded({left_.data(), right_.data(), rows_, vectors_, sums_}, groups, type_,
                 starts_.data())
        .recomputed;
  }

  void compare(const std::string& name) const {
    for (uint32_t row = 0; row < rows_; ++row)
      for (uint32_t x = 0; x < columns_; ++x) {
        uint16_t actual;
        kernels_.narrow(&sums_[row * fast::kTilePitch + x], 1, type_,
                        reinterpret_cast<uint8_t*>(&actual));
        ASSERT_EQ(actual, float_bits(expected(row, x), type_))
            << name << ", row " << row << ", column " << x << ", " << channels_ << " channels";
      }
  }

  uint64_t results() const { return rows_ * columns_; }

 private:
  uint32_t bits_of(float x) const { return f32::bits(float_value(float_bits(x, type_), type_)); }
  float usual() { return static_cast<float>(static_cast<int32_t>(rng_.next())) * 0x1p-31f; }
  float sign() { return rng_.coin() ? 1.0f : -1.0f; }

  bool is_near_tie() const { return factors_ == Factors::ties || factors_ == Factors::cut_off; }

  // Draws the weights of a group. Products of the first one with inputs of 1 are close to a tie of
  // the rounding, and the others are small.
  void draw_group(bool is_first, uint32_t* to) {
    const int large = static_cast<int>(rng_.range(0, 8)) - 4, tie = type_ == DType::bf16 ? 8 : 11;
    for (uint32_t k = 0; k < kAddTreeGroup; ++k, to += rows_) {
      const float w = weight(k, large, tie);
      *to = bits_of(!is_first && is_near_tie() && k < 2 ? 0 : w);
    }
  }
  float weight(uint32_t k, int large, int tie) {
    switch (factors_) {
      case Factors::ties:
        if (k == 0) return power(large);
        if (k == 1) return sign() * power(large - tie);
        return rng_.chance(1, 4) ? sign() * power(large - static_cast<int>(rng_.range(20, 32))) : 0;
      case Factors::cancelling:
        if (k % 2 == 0) pair_ = usual();
        return k % 2 == 0 ? pair_ : -pair_ * (rng_.chance(1, 8) ? 1.0078125f : 1.0f);
      case Factors::cut_off:
        if (k == 0) return power(large) * (1 + power(-7));
        if (k == 1) return power(large - tie + 8);
        // the product is less than the chip adds
        return -(0.875f + std::abs(usual()) / 8) * power(large - 24 + 8);
      case Factors::sparse:
        return rng_.chance(1, 16) ? usual() : sign() * 0.0f;
      case Factors::zeros:
        return sign() * 0.0f;
      case Factors::wide:
        return usual() * power(static_cast<int>(rng_.range(0, 20)) - 14);
      case Factors::equal:
        return sign();
      default:
        return usual();
    }
  }
  float input(uint32_t channel) {
    switch (factors_) {
      case Factors::ties:
      case Factors::cancelling:
      case Factors::equal:
        return 1;
      case Factors::cut_off:
        return channel % kAddTreeGroup == 0 ? 1 : power(-8);
      case Factors::wide:
        return usual() * power(static_cast<int>(rng_.range(0, 20)) - 14);
      case Factors::sparse:
        return rng_.coin() ? 0 : usual();
      default:
        return usual();
    }
  }
  // Returns usual numbers, zeros, or numbers where results overflow or become subnormal.
  float start() {
    constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x7f7f8000, 0x7f7f7fff, 0xff7fffff,
                                     0x7f800000, 0xff800000, 0x7fc12345, 0x00000001, 0x007fffff,
                                     0x00800000, 0x007f8000, 0x807f7fff, 0x477fefff, 0x477ff000,
                                     0x33000000, 0x33000001, 0x3f808000, 0x3f818000};
    if (rng_.coin()) return is_near_tie() ? 0 : usual();
    return f32::from_bits(kSpecial[rng_.below(std::size(kSpecial))]);
  }

  float expected(uint32_t row, uint32_t x) const {
    float sum = starts_[row];
    for (uint32_t g = 0; g < groups_; ++g)
      for (uint32_t t = 0; t < taps_; ++t) {
        const uint32_t count = std::min(kAddTreeGroup, channels_ - g * kAddTreeGroup);
        float products[kAddTreeGroup];
        for (uint32_t k = 0; k < count; ++k) {
          const uint32_t w = left_[((g * taps_ + t) * kAddTreeGroup + k) * rows_ + row];
          const uint32_t a = right_[(g * kAddTreeGroup + k) * pitch_ + offsets_[t] + x];
          products[k] = f32::from_bits(w) * f32::from_bits(a);
        }
        sum = f32::add(sum, add_tree(std::span(products).first(count)));
      }
    return sum;
  }

  Rng& rng_;
  const DType type_;
  const Factors factors_;
  const TileKernels& kernels_;
  uint32_t channels_ = 0, taps_ = 0, rows_ = 0, vectors_ = 0, groups_ = 0, columns_ = 0;
  size_t pitch_ = 0;
  float pair_ = 0;
  std::vector<uint32_t> offsets_, left_, right_;
  std::vector<float> starts_;
  uint32_t sums_[fast::kMaxTileRows * fast::kTilePitch];
};

class RoundedGroups : public ::testing::TestWithParam<DType> {};

// Returns the share of results that plain sums do not decide.
double compare_tiles(DType type, Factors factors, const std::string& isa) {
  constexpr uint64_t kCases = 60;
  const ScopedFloatMode mode;
  const TileKernels kernels = fast::tile_kernels();
  uint64_t results = 0, recomputed = 0;
  for (uint64_t seed = 0; seed < kCases && !::testing::Test::HasFailure(); ++seed) {
    Rng rng(seed, static_cast<uint64_t>(factors));
    RandomTile tile(rng, type, factors, kernels);
    for (const bool has_pairs : {false, true}) {
      if (has_pairs && (type != DType::bf16 || kernels.pairs == nullptr)) continue;
      const int64_t count = tile.run(has_pairs);
      EXPECT_GE(count, 0);
      tile.compare(isa + ", factors " + std::to_string(static_cast<int>(factors)) + ", seed " +
                   std::to_string(seed) + (has_pairs ? ", in pairs" : ""));
      results += tile.results();
      recomputed += static_cast<uint64_t>(count);
    }
  }
  return static_cast<double>(recomputed) / static_cast<double>(results);
}

TEST_P(RoundedGroups, AreThoseOfTheAdderTree) {
  for (const std::string& isa : fast::available_isas()) {
    if (isa == "reference") continue;
    fast::select_isa(isa);
    for (uint8_t i = 0; i < static_cast<uint8_t>(Factors::count); ++i) {
      const auto factors = static_cast<Factors>(i);
      const double open = compare_tiles(GetParam(), factors, isa);
      // Start values that are infinite or close to that leave a sixth of the rows open.
      if (factors == Factors::usual) {
        EXPECT_LT(open, GetParam() == DType::bf16 ? 0.25 : 0.5);
      }
      if (factors == Factors::ties) {
        EXPECT_GT(open, 0.25);
      }
    }
    fast::select_isa("");
  }
}

INSTANTIATE_TEST_SUITE_P(Both, RoundedGroups, ::testing::Values(DType::bf16, DType::f16),
                         [](const auto& info) {
                           return info.param == DType::bf16 ? "bf16" : "fp16";
                         });

}  // namespace
}  // namespace tputwin::testing

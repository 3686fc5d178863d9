// Tiles that convert their sums to bytes: the same bytes as sums that are scaled afterwards, also
// at and near ties, where fp32 does not decide, and no other bytes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {
namespace {

constexpr uint8_t kGuard = 0xa5;
constexpr size_t kCells = 3;

class RowBytes : public ::testing::Test {
 protected:
  void TearDown() override { select_isa(""); }

  int32_t number(int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(random_);
  }

  // Returns a scale whose quotients are often ties: a multiplier of few bits, or any one.
  Scale scale(Rounding rounding, bool is_signed) {
    const int32_t bits = number(0, 31);
    const int32_t multiplier = bits == 31          ? INT32_MIN
                               : number(0, 1) != 0 ? 1 << bits
                                                   : number(-INT32_MAX, INT32_MAX);
    return {.multiplier = multiplier,
            .right = number(kLeastRight, 45),
            .offset = number(0, 3) == 0 ? number(-300, 300) : number(-3, 3),
            .rounding = rounding,
            .low = is_signed ? -128 : 0,
            .high = is_signed ? 127 : 255};
  }

  RowScales row_scales(uint32_t rows) {
    const auto rounding = static_cast<Rounding>(number(0, 6));
    const bool is_signed = number(0, 1) != 0;
    RowScales scales{};
    scales.is_approximated = true;
    for (uint32_t r = 0; r < kMaxTileRows; ++r) {
      scales.scales[r] = scale(rounding, is_signed);
      scales.starts[r] = static_cast<uint32_t>(number(0, 3) == 0 ? number(INT32_MIN, INT32_MAX)
                                                                 : number(-5000, 5000));
      scales.factors[r] =
          std::ldexp(static_cast<float>(scales.scales[r].multiplier), -scales.scales[r].right);
      if (r < rows) scales.is_approximated &= can_be_approximated(scales.scales[r]);
    }
    return scales;
  }

  void compare(const TileKernels& kernels);

  std::mt19937 random_{11};
};

void RowBytes::compare(const TileKernels& kernels) {
  const size_t width = kernels.columns();
  std::vector<uint32_t> left(kCells * kMaxTileRows), right(kCells * width + 64);
  for (uint32_t& cell : left) cell = static_cast<uint32_t>(random_());
  for (uint32_t& cell : right) cell = static_cast<uint32_t>(random_());
  const uint32_t tap = 0;
  const Dots dots{width, kCells, 1, &tap};
  const auto columns = static_cast<size_t>(number(1, static_cast<int32_t>(width)));
  const uint64_t all = ~uint64_t{0} >> (64 - columns);
  const uint64_t kept = number(0, 1) != 0 ? all : all & random_();
  const auto rows = static_cast<uint32_t>(number(1, static_cast<int32_t>(kernels.rows)));
  const RowScales scales = row_scales(kernels.rows);

  alignas(64) std::array<uint32_t, kMaxTileRows * kTilePitch> sums{};
  for (uint32_t r = 0; r < kernels.rows; ++r)
    std::fill_n(sums.begin() + r * kTilePitch, kTilePitch, scales.starts[r]);
  const Tile tile{left.data(), right.data(), kernels.rows, kernels.vectors, sums.data()};
  kernels.bytes(tile, dots);

  std::array<std::array<uint8_t, 2 * kTilePitch>, kMaxTileRows> actual{}, expected{};
  std::array<std::array<uint32_t, 2 * kTilePitch>, kMaxTileRows> actual_sums{}, expected_sums{};
  std::array<uint8_t*, kMaxTileRows> to{}, sums_to{};
  const bool writes_sums = number(0, 1) != 0;
  for (uint32_t r = 0; r < kMaxTileRows; ++r) {
    actual[r].fill(kGuard);
    expected[r].fill(kGuard);
    to[r] = actual[r].data() + 1;
    if (number(0, 2) != 0) sums_to[r] = reinterpret_cast<uint8_t*>(actual_sums[r].data() + 1);
    std::array<uint8_t, kTilePitch> scaled{};
    kernels.scale(sums.data() + r * kTilePitch, columns, scales.scales[r], 1, scaled.data());
    size_t next = 1;
    for (size_t c = 0; c < columns && r < rows; ++c) {
      if ((kept >> c & 1) == 0) continue;
      if (writes_sums && sums_to[r] != nullptr) expected_sums[r][next] = sums[r * kTilePitch + c];
      expected[r][next++] = scaled[c];
    }
  }
  kernels.scaled_bytes(tile, dots, columns, scales,
                       {rows, kept, to.data(), writes_sums ? sums_to.data() : nullptr});
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(actual_sums, expected_sums);
}

TEST_F(RowBytes, AreScaledSums) {
  for (const std::string& isa : available_isas()) {
    if (isa == "reference") continue;
    select_isa(isa);
    SCOPED_TRACE(isa);
    const TileKernels kernels = tile_kernels();
    for (int i = 0; i < 3000 && !HasFailure(); ++i) compare(kernels);
  }
}

}  // namespace
}  // namespace tputwin::fast

// Codes of factors of grouped sums: the logarithms are as exact as sums of codes require.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/float32.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {
namespace {

// Returns all significands of fp16 and bf16, with the exponents of numbers that have codes.
std::vector<uint32_t> factors() {
  std::vector<uint32_t> words;
  for (uint32_t exponent = 127 - 63; exponent < 127 + 16; ++exponent)
    for (uint32_t fraction = 0; fraction < 1024; ++fraction)
      words.push_back((fraction & 1) << 31 | exponent << 23 | fraction << 13);
  return words;
}

TEST(Codes, AreLogarithmsRoundedDown) {
  const TileKernels kernels = tile_kernels();
  if (kernels.code == nullptr) GTEST_SKIP() << "this instruction set uses no codes";
  std::vector<uint32_t> words = factors();
  const std::vector<uint32_t> before = words;
  std::vector<int16_t> codes(words.size());
  kernels.code(words.data(), words.size(), true, codes.data());
  EXPECT_EQ(words, before);
  for (size_t i = 0; i < words.size(); ++i) {
    const double exact = 512 * std::log2(std::abs(double{f32::from_bits(words[i])}));
    EXPECT_LE(codes[i], exact) << words[i];
    EXPECT_LT(exact, codes[i] + 1.4) << words[i];
    const bool is_power_of_two = words[i] % (1 << 23) == 0;
    EXPECT_TRUE(!is_power_of_two || codes[i] == exact) << words[i];
  }
}

TEST(Codes, ZerosAreReplacedWhereFactorsAreScaled) {
  const TileKernels kernels = tile_kernels();
  if (kernels.code == nullptr) GTEST_SKIP() << "this instruction set uses no codes";
  std::vector<uint32_t> words{0, 0x80000000, f32::bits(1.0f)};
  std::vector<int16_t> codes(words.size());
  kernels.code(words.data(), words.size(), false, codes.data());
  EXPECT_EQ(words, (std::vector<uint32_t>{0, 0x80000000, f32::bits(1.0f)}));
  kernels.code(words.data(), words.size(), true, codes.data());
  EXPECT_EQ(codes, (std::vector<int16_t>{INT16_MIN, INT16_MIN, 0}));
  EXPECT_LT(f32::from_bits(words[0]), 1e-30f);
  EXPECT_EQ(words[0], words[1]);
}

}  // namespace
}  // namespace tputwin::fast

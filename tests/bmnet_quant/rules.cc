// Formulas of quantization.
#include "bmnet/integers/rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bmnet/arithmetic/lrn.h"
#include "bmnet/calibrate/histogram.h"
#include "bmnet/cpu_ops/table_function.h"

namespace tputwin::net {
namespace {

TEST(Rules, RoundsTiesUp) {
  EXPECT_EQ(round_to_int8(2.5f), 3);
  EXPECT_EQ(round_to_int8(-2.5f), -2);
  EXPECT_EQ(round_to_int8(500), 127);
  EXPECT_EQ(round_to_int8(-500), -128);
  EXPECT_EQ(round_to_int16(40000), 32767);
}

TEST(Rules, ShiftBringsToSevenBits) {
  EXPECT_EQ(shift_to_byte(64), 0);
  EXPECT_EQ(shift_to_byte(127.9f), 0);
  EXPECT_EQ(shift_to_byte(1), 6);
  EXPECT_EQ(shift_to_byte(0.1f), 10);
  EXPECT_EQ(shift_to_byte(0), 0);
  EXPECT_EQ(shift_to_byte(1e-30f), kLargestShift);
  EXPECT_EQ(shift_to_byte(128), std::nullopt);
  EXPECT_EQ(shift_to_byte(NAN), std::nullopt);
}

TEST(Rules, WeightsAndBiases) {
  std::vector<float> weights{0.5f, -1, 0.25f}, biases{0.5f, 1000};
  const auto shift = weight_shift(weights, 2, 4);
  ASSERT_EQ(shift, 7);
  quantize_weights(weights, 2, 4, *shift);
  EXPECT_EQ(weights, (std::vector<float>{32, -64, 16}));
  EXPECT_EQ(quantize_bias(biases, 4, *shift), 1u);
  EXPECT_EQ(biases, (std::vector<float>{2048, 32767}));
}

// The vendor's numbers for pooling layers.
TEST(Rules, UnsignedMultiplier) {
  EXPECT_EQ(unsigned_multiplier(1), (Multiplier{128, 7}));
  EXPECT_EQ(unsigned_multiplier(1.3900347f / 2.2240555f), (Multiplier{160, 8}));
  EXPECT_EQ(unsigned_multiplier(3.7654557f / 3.5616610f), (Multiplier{135, 7}));
  for (float ratio = 0.001f; ratio < 200; ratio *= 1.01f) {
    const Multiplier m = unsigned_multiplier(ratio);
    EXPECT_NEAR(std::ldexp(static_cast<float>(m.multiplier), -m.shift), ratio, ratio / 127);
  }
}

// Just below a power of two, the multiplier is that power at the next shift, not a saturated byte.
TEST(Rules, MultipliersDoNotSaturate) {
  EXPECT_EQ(unsigned_multiplier(0.9999f), (Multiplier{128, 7}));
  EXPECT_EQ(unsigned_multiplier(0.2499f), (Multiplier{128, 9}));
  EXPECT_EQ(unsigned_multiplier(255.9f), (Multiplier{255, 0}));  // no smaller shift exists
  EXPECT_EQ(signed_multiplier(0.9999f), (Multiplier{64, 6}));
  EXPECT_EQ(signed_multiplier(-0.9999f), (Multiplier{-64, 6}));
  EXPECT_EQ(signed_multiplier(0.4999f), (Multiplier{64, 7}));
  EXPECT_EQ(signed_multiplier(127.9f), (Multiplier{127, 0}));
  const std::vector<float> x{3.9999f, 2};
  const auto sum = eltwise_sum({}, x, 4);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->multiplier, (std::vector<int>{64, 32}));
  EXPECT_EQ(sum->shift, 6);
  // The error is at most half a step of the multiplier.
  for (float ratio = 0.01f; ratio < 120; ratio *= 1.0007f) {
    const Multiplier m = unsigned_multiplier(ratio);
    EXPECT_NEAR(static_cast<float>(m.multiplier), std::ldexp(ratio, m.shift), 0.5f) << ratio;
    const auto s = signed_multiplier(ratio);
    EXPECT_NEAR(static_cast<float>(s->multiplier), std::ldexp(ratio, s->shift), 0.5f) << ratio;
  }
}

TEST(Rules, SignedMultiplier) {
  EXPECT_EQ(signed_multiplier(1), (Multiplier{64, 6}));
  EXPECT_EQ(signed_multiplier(0.1f), (Multiplier{102, 10}));
  EXPECT_EQ(signed_multiplier(-0.5f), (Multiplier{-64, 7}));
  EXPECT_EQ(signed_multiplier(200), std::nullopt);
}

TEST(Rules, Eltwise) {
  const std::vector<float> x{2, 4}, coefficients{1, -1};
  const auto sum = eltwise_sum({}, x, 4);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->multiplier, (std::vector<int>{32, 64}));
  EXPECT_EQ(sum->shift, 6);
  EXPECT_EQ(eltwise_sum(coefficients, x, 4)->multiplier, (std::vector<int>{32, -64}));
  const auto product = eltwise_product(2, 4, 8);
  ASSERT_TRUE(product);
  EXPECT_FLOAT_EQ(std::ldexp(static_cast<float>(product->multiplier[0]), -product->shift),
                  8.0f / (128 * 8));
}

// Every sum that fits the int8 result passes the 16-bit chain without saturation.
TEST(Rules, EltwiseChainHolds) {
  for (size_t inputs = 2; inputs < 12; ++inputs)
    for (float ratio = 0.01f; ratio < 1; ratio *= 1.1f) {
      const std::vector<float> x(inputs, ratio);
      const auto sum = eltwise_sum({}, x, 1);
      ASSERT_TRUE(sum);
      int most = 0;
      for (const int m : sum->multiplier) most += m * 128;
      EXPECT_TRUE(most <= 32767 + 128 * static_cast<int>(inputs) || sum->shift <= 7)
          << inputs << " inputs, ratio " << ratio;
    }
}

TEST(Rules, LookupTable) {
  TensorOp op;
  op.set_type("tg_activation");
  op.mutable_tg_activation_param()->set_activation(::bmnet::SIGMOID);
  const auto table = lookup_table(table_function(op), 8, 1);
  EXPECT_EQ(table[0], 64);
  EXPECT_EQ(table[16], round_to_int8(128 / (1 + std::exp(-1.0f))));
  EXPECT_EQ(table[static_cast<uint8_t>(-16)], round_to_int8(128 / (1 + std::exp(1.0f))));
}

TEST(Rules, LrnFollowsTheFormula) {
  ::bmnet::TGLRNParameter parameter;
  parameter.set_local_size(5);
  parameter.set_alpha(0.5f);
  parameter.set_beta(0.75f);
  const float tx = 4, ty = 3, ts = 40;
  const LrnIntegers lrn = choose_lrn(parameter, tx, ty, ts);
  EXPECT_LE(lrn.sum_shift, 7);
  int largest = 0;
  for (int sum = 0; sum < 128; ++sum) largest = std::max<int>(largest, lrn.power[sum]);
  EXPECT_GE(largest, 64);
  for (int x = -128; x < 128; x += 5) {
    const int square = lrn.square[static_cast<uint8_t>(x)];
    const int sum = (square * lrn.sum_multiplier + (1 << lrn.sum_shift >> 1)) >> lrn.sum_shift;
    const float y = static_cast<float>(x * lrn.power[sum]) /
                    static_cast<float>(1 << lrn.right_shift) * ty / 128;
    const float real = static_cast<float>(x) * tx / 128;
    EXPECT_NEAR(y, real * std::pow(1 + 0.1f * real * real, -0.75f), 0.06f) << x;
  }
}

TEST(Histograms, UniformNeedsItsRange) {
  Histogram histogram(1, 2048);
  std::vector<float> values;
  for (int i = 0; i <= 100000; ++i) values.push_back(static_cast<float>(i) / 100000);
  histogram.add(values);
  EXPECT_EQ(histogram.total(), values.size());
  EXPECT_NEAR(divergence_threshold(histogram), 1, 0.01);
  EXPECT_NEAR(squared_error_threshold(histogram), 1, 0.02);
  EXPECT_NEAR(percentile_threshold(histogram, 99), 0.99, 0.002);
}

TEST(Histograms, OutlierIsClipped) {
  Histogram histogram(100, 2048);
  std::vector<float> values(1, 100);
  for (int i = 0; i <= 1000000; ++i)
    values.push_back(10 * std::exp(-static_cast<float>(i % 1000) / 100));
  histogram.add(values);
  EXPECT_LT(divergence_threshold(histogram), 30);
  EXPECT_LT(squared_error_threshold(histogram), 30);
  EXPECT_NEAR(percentile_threshold(histogram, 99.99), 10, 0.2);
}

// Three bins of the first 128 hold all values but one: there P and Q are equal.
TEST(Histograms, FirstBestWins) {
  Histogram histogram(2047, 2048);
  histogram.add_bin(0, 10);
  histogram.add_bin(100, 20);
  histogram.add_bin(127, 30);
  EXPECT_FLOAT_EQ(divergence_threshold(histogram), 128);
}

TEST(Histograms, LargerValuesAreInTheLastBin) {
  for (const float largest : {1.0f, 1e-30f}) {
    Histogram histogram(largest, 128);
    histogram.add(std::vector<float>{largest, 1e30f, std::numeric_limits<float>::max()});
    EXPECT_EQ(histogram.counts().back(), 3u) << largest;
  }
}

TEST(Histograms, TheLeastValuesAreZeros) {
  Histogram histogram(1e-39f, 128);
  histogram.add(std::vector<float>{1e-39f, 0, -1e-40f});
  EXPECT_EQ(histogram.counts()[0], 3u);
}

TEST(Histograms, PositiveHalf) {
  Histogram histogram(2, 128);
  histogram.add(std::vector<float>{-2, -1, 2}, true);
  EXPECT_EQ(histogram.counts()[0], 2u);
  EXPECT_EQ(histogram.counts()[127], 1u);
}

}  // namespace
}  // namespace tputwin::net

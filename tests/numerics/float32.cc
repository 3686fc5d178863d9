// fp32 arithmetic of the BM1684: recorded values, NaN rules, the table of powers of e.
#include "numerics/float32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numerics/float_mode.h"

namespace tputwin {
namespace {

// Returns a value that the compiler cannot fold, because it would compute in its own mode.
float value(uint32_t bits) {
  volatile uint32_t opaque = bits;
  return f32::from_bits(opaque);
}

constexpr uint32_t kInfinity = 0x7f80'0000, kSign = 0x8000'0000;
constexpr uint32_t kSubnormal = 0x0040'0000, kQuiet = 0x7fc0'1234, kSignalling = 0xff80'4321;

class Float32 : public ::testing::Test {
 private:
  ScopedFloatMode mode_;
};

struct Sample {
  uint32_t x, result;
};

template <size_t N>
void expect(float (*function)(float), const Sample (&samples)[N]) {
  for (const Sample& sample : samples)
    EXPECT_EQ(f32::bits(function(value(sample.x))), sample.result) << std::hex << sample.x;
}

uint32_t bits_of(float x) { return f32::bits(x); }

TEST_F(Float32, ReciprocalAsRecorded) {
  expect(f32::reciprocal, {{bits_of(1), 0x3f7f'fffe},
                           {bits_of(2), 0x3f00'0001},
                           {bits_of(3), 0x3eaa'aaaa},
                           {0, kInfinity},
                           {kInfinity, kInfinity},
                           {0x0080'0000, kInfinity},
                           {0x7f7f'ffff, 0}});
}

TEST_F(Float32, RootsAsRecorded) {
  expect(f32::rsqrt, {{bits_of(1), 0x3f7f'ffff},
                      {0, 0x601a'b3d4},
                      {kSign, 0xa01a'b3d4},
                      {kInfinity, kInfinity | kSign},
                      {bits_of(-1), kInfinity}});
  expect(f32::sqrt, {{0, 0x1ed3'd023},
                     {bits_of(1), 0x3f80'0000},
                     {bits_of(2), 0x3fb5'04f2},
                     {bits_of(3), 0x3fdd'b3d7},
                     {kInfinity, kInfinity | kSign}});
}

TEST_F(Float32, DivisionOfSpecialValues) {
  auto quotient = [](uint32_t a, uint32_t b) { return f32::bits(f32::div(value(a), value(b))); };
  EXPECT_EQ(quotient(0, 0), f32::kInvalid);
  EXPECT_EQ(quotient(0, kSign), f32::kInvalid);
  EXPECT_EQ(quotient(0x7fc0'0000, kSign), f32::kInvalid);
  EXPECT_EQ(quotient(bits_of(3), 0xffc0'0000), 0x7fc0'0000u);
  EXPECT_EQ(quotient(0, bits_of(5)), 0u);
}

TEST_F(Float32, ExponentialFamilyAsRecorded) {
  constexpr uint32_t kTerms = 32;
  auto exp = [](float x) { return f32::bits(f32::exp(x, kTerms).result); };
  for (float outside : {-104.0f, -128.0f, 89.5f, 127.0f}) EXPECT_EQ(exp(outside), 0u) << outside;
  EXPECT_EQ(exp(88.9f), kInfinity);
  EXPECT_EQ(exp(1e30f), kInfinity);
  EXPECT_TRUE(f32::is_nan(f32::exp(value(kQuiet), kTerms).result));
  EXPECT_EQ(f32::bits(f32::sigmoid(0.0f, kTerms).result), 0x3f00'0001u);
  EXPECT_EQ(f32::bits(f32::sigmoid(-89.0f, kTerms).result), 0x3f7f'fffeu);
  EXPECT_EQ(f32::bits(f32::tanh(0.0f, kTerms).result), 0x3440'0000u);
  EXPECT_EQ(f32::bits(f32::tanh(88.9f, kTerms).result), kInfinity | kSign);
  EXPECT_EQ(f32::bits(f32::tanh(-87.0f, kTerms).result), kInfinity | kSign);
}

TEST_F(Float32, WorkTensorsHoldIntermediateValues) {
  const f32::WithWork exp = f32::exp(1.5f, 8), sigmoid = f32::sigmoid(1.5f, 8);
  EXPECT_EQ(exp.work, f32::taylor_exp_minus_1(0.5f, 8));
  EXPECT_EQ(sigmoid.work, f32::add(1.0f, f32::exp(-1.5f, 8).result));
  EXPECT_EQ(sigmoid.result, f32::reciprocal(sigmoid.work));
  const f32::WithWork tanh = f32::tanh(1.5f, 8);
  EXPECT_EQ(tanh.result, 1.0f - 2.0f * tanh.work);
}

// long double has enough bits to round e^k correctly except for ties, and e^k is never a tie.
TEST_F(Float32, TableOfPowersIsCorrectlyRounded) {
  for (int k = -103; k <= 88; ++k) {
    const long double power = std::exp(static_cast<long double>(k));
    const float below = f32::lookup_exp(k);
    // Compared in long double: the mode of the test would flush the subnormal entries.
    const uint32_t b = f32::bits(below);
    auto number = [](uint32_t bits) {
      const int exponent = static_cast<int>(bits >> 23);
      const auto fraction = static_cast<long double>(bits & 0x7f'ffff);
      return exponent == 0 ? std::ldexp(fraction, -149)
                           : std::ldexp(fraction + 0x80'0000, exponent - 150);
    };
    const long double error = std::fabs(number(b) - power);
    EXPECT_LT(error, std::fabs(number(b + 1) - power)) << k;
    EXPECT_LT(error, std::fabs(number(b - 1) - power)) << k;
  }
}

TEST_F(Float32, LookupsUseTheLowEightBits) {
  EXPECT_EQ(f32::bits(f32::lookup_exp(-103)), 1u) << "subnormal entries are kept";
  EXPECT_EQ(f32::bits(f32::lookup_exp(-104)), 0u);
  EXPECT_EQ(f32::bits(f32::lookup_exp(89)), 0u);
  EXPECT_EQ(f32::lookup_exp(200), f32::lookup_exp(-56));
  EXPECT_EQ(f32::bits(f32::lookup_exp(-129)), 0u) << "acts as 127";
  EXPECT_EQ(f32::lookup_int8(200), -56.0f);
  EXPECT_EQ(f32::lookup_int8(-128), -128.0f);
}

TEST_F(Float32, SeriesCoefficientsAreIterated) {
  float c = 1.0f;
  for (uint32_t k = 0; k <= f32::kMaxTerms; ++k) {
    if (k > 0) c /= static_cast<float>(k);
    EXPECT_EQ(f32::exp_coefficient(k), c) << k;
  }
  EXPECT_GT(f32::exp_coefficient(33), 0.0f);
  EXPECT_EQ(f32::exp_coefficient(34), 0.0f);
}

TEST_F(Float32, SeriesOfOddLengths) {
  EXPECT_EQ(f32::taylor_exp(0.25f, 0), 1.0f);
  EXPECT_EQ(f32::taylor_exp(0.25f, 1), 1.25f);
  EXPECT_EQ(f32::taylor_exp_minus_1(0.25f, 0), 0.25f) << "as with one term";
  EXPECT_EQ(f32::taylor_exp(0.75f, 65), f32::taylor_exp(0.75f, 64));
  EXPECT_EQ(f32::taylor_exp(0.75f, 0xffff'ffff), f32::taylor_exp(0.75f, 64));
}

TEST_F(Float32, FirstNanWinsAndBecomesQuiet) {
  const float quiet = value(kQuiet), signalling = value(kSignalling);
  for (auto operation : {f32::add, f32::sub, f32::mul}) {
    EXPECT_EQ(f32::bits(operation(quiet, signalling)), kQuiet);
    EXPECT_EQ(f32::bits(operation(signalling, quiet)), kSignalling | f32::kQuietBit);
    EXPECT_EQ(f32::bits(operation(1.0f, signalling)), kSignalling | f32::kQuietBit);
  }
  EXPECT_EQ(f32::bits(f32::mac(1.0f, signalling, quiet)), kSignalling | f32::kQuietBit)
      << "the product comes first";
  const float infinity = value(kInfinity);
  EXPECT_EQ(f32::bits(f32::sub(infinity, infinity)), f32::kInvalid);
  EXPECT_EQ(f32::bits(f32::mul(0.0f, infinity)), f32::kInvalid);
  EXPECT_EQ(f32::bits(f32::mul(value(kSubnormal), infinity)), f32::kInvalid);
}

TEST_F(Float32, ExtremaOfSpecialValues) {
  auto max = [](uint32_t a, uint32_t b) { return f32::bits(f32::max(value(a), value(b))); };
  auto min = [](uint32_t a, uint32_t b) { return f32::bits(f32::min(value(a), value(b))); };
  EXPECT_EQ(max(kQuiet, bits_of(1)), bits_of(1));
  EXPECT_EQ(max(bits_of(1), kSignalling), kSignalling) << "bits unchanged";
  EXPECT_EQ(max(0, kSign), kSign) << "ties give the second";
  EXPECT_EQ(max(kSubnormal, bits_of(-1)), 0u) << "flushed";
  EXPECT_EQ(min(kQuiet, bits_of(1)), bits_of(1));
  EXPECT_EQ(min(bits_of(1), kSignalling), kSignalling);
  EXPECT_EQ(min(0, kSign), 0u) << "ties give the first";
  EXPECT_EQ(min(kSubnormal, bits_of(1)), kSubnormal) << "not flushed";
  EXPECT_EQ(min(kSubnormal, 1), kSubnormal) << "both compare as 0";
}

TEST_F(Float32, SignsOfZero) {
  EXPECT_EQ(f32::bits(f32::neg(0.0f)), 0u);
  EXPECT_EQ(f32::bits(f32::neg(-0.0f)), 0u);
  EXPECT_EQ(f32::bits(f32::neg(value(kSubnormal))), 0u);
  EXPECT_EQ(f32::bits(f32::neg(value(kSignalling))), kSignalling | f32::kQuietBit);
  for (uint32_t x : {kSign, kSubnormal, kQuiet, bits_of(-3)})
    EXPECT_EQ(f32::bits(f32::relu(value(x))), 0u) << std::hex << x;
}

TEST_F(Float32, ToInt32TruncatesAndSaturates) {
  EXPECT_EQ(f32::to_int32(-1.5f), -1);
  EXPECT_EQ(f32::to_int32(2147483520.0f), 2147483520);
  EXPECT_EQ(f32::to_int32(2147483648.0f), INT32_MAX);
  EXPECT_EQ(f32::to_int32(-2147483648.0f), INT32_MIN);
  EXPECT_EQ(f32::to_int32(value(kQuiet)), INT32_MAX);
  EXPECT_EQ(f32::to_int32(value(kSignalling)), INT32_MIN);
}

// Products a little below the smallest normal number: flushed, unless 24 bits round them up to it.
TEST_F(Float32, ProductsAreFlushedAfterRounding) {
  const struct {
    uint32_t a, b, product;
  } samples[] = {
      {0x2000'0001, 0x1fff'fffe, 0x0080'0000},  // 2^-126 (1 - 2^-46)
      {0xa000'0001, 0x1fff'fffe, 0x8080'0000},  //
      {0x2011'8e00, 0x1fe1'2000, 0x0080'0000},  // 2^-126 (1 - 2^-25), halfway
      {0x2000'0800, 0x1fff'f000, 0},            // 2^-126 (1 - 2^-24)
      {0x2000'06ed, 0x1fff'f226, 0},  // 2^-126 (1 - 2^-24.4): a multiple of 2^-149 would be 2^-126
      {0x2000'0001, 0x1fff'ffff, 0x0080'0000},  // 2^-126 (1 + 2^-24), from above
      {0x3f80'0000, 0x8000'0001, kSign},        // a subnormal operand
      {0x1fff'ffff, 0x1fff'ffff, 0},            // 2^-127 (2 - 2^-22)
      {0x0080'0000, 0x3f7f'ffff, 0},            // 2^-126 (1 - 2^-24)
  };
  for (const auto& s : samples)
    EXPECT_EQ(f32::bits(f32::mul(value(s.a), value(s.b))), s.product) << std::hex << s.a;
}

// Volatile, so that the arithmetic runs in the mode of the call.
[[gnu::noinline]] float product(float a, float b) {
  volatile float x = a, y = b;
  volatile float z = x * y;
  return z;
}

TEST(FloatMode, FlushesAndIsRestored) {
  const float tiny = std::numeric_limits<float>::min();
  const float half = product(tiny, 0.5f);
  EXPECT_NE(f32::bits(half), 0u);
  {
    const ScopedFloatMode mode;
    EXPECT_EQ(f32::bits(product(tiny, 0.5f)), 0u) << "results are flushed";
    EXPECT_EQ(f32::bits(product(-tiny, 0.5f)), kSign) << "to the zero of their sign";
    EXPECT_EQ(f32::bits(product(half, 4.0f)), 0u) << "operands are zero";
  }
  EXPECT_EQ(product(tiny, 0.5f), half);
  EXPECT_EQ(product(half, 4.0f), 2 * tiny);
}

}  // namespace
}  // namespace tputwin

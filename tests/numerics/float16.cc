// fp16 and bf16: all 65,536 patterns of each type, and all rounding modes around every one of them.
#include "numerics/float16.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "numerics/convert.h"
#include "numerics/float_mode.h"
#include "selftest/kinds.h"

namespace tputwin {
namespace {

// A 16-bit type, defined by its numbers.
struct Format {
  const char* name;
  int fraction_bits, smallest_exponent;  // exponent of the smallest normal number
  DType dtype;
  bool has_subnormals;  // results may be subnormal
};
void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }
constexpr Format kHalf{"f16", 10, -14, DType::f16, true};
constexpr Format kBrain{"bf16", 7, -126, DType::bf16, false};

constexpr int kMagnitudes = 0x8000;

// Returns the number of a magnitude in double precision, by the definition of the format.
double value_of(const Format& f, int magnitude) {
  const int field = magnitude >> f.fraction_bits;
  const double fraction = std::ldexp(magnitude & ((1 << f.fraction_bits) - 1), -f.fraction_bits);
  if (field == 0) return std::ldexp(fraction, f.smallest_exponent);
  return std::ldexp(1 + fraction, f.smallest_exponent + field - 1);
}

int infinity_of(const Format& f) { return f.dtype == DType::f16 ? 0x7c00 : 0x7f80; }

uint32_t narrow(const Format& f, float x, Rounding mode) {
  return f.dtype == DType::f16 ? f16::from_f32(x, mode) : bf16::from_f32(x, mode);
}

// Returns the neighbour of x that the mode selects, by comparing distances.
int chosen(double x, double low, double high, int low_pattern, bool negative, Rounding mode) {
  const double below = x - low, above = high - x;
  const bool tie = below == above;
  switch (mode) {
    case Rounding::half_even:
      return below < above || (tie && low_pattern % 2 == 0) ? low_pattern : low_pattern + 1;
    case Rounding::half_away:
      return below < above ? low_pattern : low_pattern + 1;
    case Rounding::toward_zero:
      return low_pattern;
    case Rounding::down:
      return negative ? low_pattern + 1 : low_pattern;
    default:
      return negative ? low_pattern : low_pattern + 1;
  }
}

constexpr Rounding kModes[] = {Rounding::half_even, Rounding::half_away, Rounding::toward_zero,
                               Rounding::down, Rounding::up};

class Float16 : public ::testing::TestWithParam<Format> {
 protected:
  ScopedFloatMode mode_;  // the chip's mode
};

TEST_P(Float16, EveryPatternIsItsNumber) {
  const Format& f = GetParam();
  for (int magnitude = 0; magnitude < kMagnitudes; ++magnitude)
    for (const int sign : {0, 0x8000}) {
      const auto pattern = static_cast<uint32_t>(magnitude | sign);
      const uint32_t bits = f32::bits(float_value(pattern, f.dtype));
      if (magnitude > infinity_of(f)) {
        EXPECT_EQ(bits, f.dtype == DType::f16 ? 0xffc00000 : pattern << 16) << pattern;
        continue;
      }
      EXPECT_EQ(bits >> 31, static_cast<uint32_t>(sign) >> 15) << pattern;
      if (magnitude == infinity_of(f)) {
        EXPECT_EQ(bits & 0x7fffffff, 0x7f800000u) << pattern;
      } else if (f.dtype == DType::bf16) {
        EXPECT_EQ(bits, pattern << 16);
      } else {
        EXPECT_EQ(std::fabs(double{f32::from_bits(bits)}), value_of(f, magnitude)) << pattern;
      }
    }
}

TEST_P(Float16, EveryNumberComesBackInEveryMode) {
  const Format& f = GetParam();
  for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const bool is_nan = static_cast<int>(pattern & 0x7fff) > infinity_of(f);
    const bool flushed = f.dtype == DType::bf16 && (pattern & 0x7f80) == 0;
    for (Rounding mode : kModes) {
      const uint32_t expected = is_nan ? kHalfNan : flushed ? pattern & 0x8000 : pattern;
      EXPECT_EQ(narrow(f, float_value(pattern, f.dtype), mode), expected)
          << fmt::format("{} {:#06x} mode {}", f.name, pattern, static_cast<int>(mode));
    }
  }
}

// Tests the middle between every number and the next one, values just below and above it, and just
// above the number itself.
TEST_P(Float16, EveryGapRoundsByTheMode) {
  const Format& f = GetParam();
  const int first = f.has_subnormals ? 0 : 1 << f.fraction_bits, last = infinity_of(f) - 2;
  for (int magnitude = first; magnitude <= last; ++magnitude) {
    const double low = value_of(f, magnitude), high = value_of(f, magnitude + 1);
    const auto middle = static_cast<float>((low + high) / 2), bottom = static_cast<float>(low);
    for (const float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, HUGE_VALF),
                          std::nextafter(bottom, HUGE_VALF)})
      for (const bool negative : {false, true})
        for (Rounding mode : kModes) {
          if ((f32::bits(x) & 0x7f800000) == 0) continue;  // subnormals: a separate test
          const int expected =
              chosen(x, low, high, magnitude, negative, mode) | (negative ? 0x8000 : 0);
          EXPECT_EQ(narrow(f, negative ? -x : x, mode), static_cast<uint32_t>(expected))
              << fmt::format("{} {:#06x} x = {} mode {}", f.name, magnitude, x,
                             static_cast<int>(mode));
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Float16, ::testing::Values(kHalf, kBrain),
                         [](const auto& info) { return info.param.name; });

// fp32 subnormals are rounded before they are flushed: in every mode, a result that rounds to the
// smallest normal number is kept.
TEST(Bf16, SubnormalsAreFlushedWhenTheyAreRounded) {
  const ScopedFloatMode chip;
  for (uint32_t magnitude = 0x007e'0000; magnitude < 0x0080'0000; ++magnitude)
    for (const uint32_t sign : {0u, f32::kSignBit})
      for (Rounding mode : kModes) {
        const uint32_t kept = magnitude >> 16;
        const bool away = rounds_away(mode, sign != 0, (kept & 1) != 0, cut_of(magnitude, 16));
        const uint32_t expected = (kept + away == 0x80 ? 0x80 : 0) | sign >> 16;
        ASSERT_EQ(bf16::from_f32(f32::from_bits(magnitude | sign), mode), expected)
            << fmt::format("{:#010x} mode {}", magnitude | sign, static_cast<int>(mode));
      }
}

// Recorded: bm1684x-machine 7.4.
TEST(Overflow, OfFp16) {
  const ScopedFloatMode chip;
  const float beyond = f32::from_bits(0x477ff000), large = f32::from_bits(0x7f7fffff);
  EXPECT_EQ(f16::from_f32(beyond, Rounding::half_even), 0x7c00);
  EXPECT_EQ(f16::from_f32(beyond, Rounding::half_away), 0x7c00);
  EXPECT_EQ(f16::from_f32(beyond, Rounding::toward_zero), 0x7bff);
  EXPECT_EQ(f16::from_f32(beyond, Rounding::down), 0x7bff);
  EXPECT_EQ(f16::from_f32(beyond, Rounding::up), 0x7c00);
  for (Rounding mode : kModes) EXPECT_EQ(f16::from_f32(large, mode), 0x7c00);
}

TEST(Overflow, OfBf16) {
  const ScopedFloatMode chip;
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(bf16::from_f32(largest, Rounding::half_even), 0x7f80);
  EXPECT_EQ(bf16::from_f32(largest, Rounding::toward_zero), 0x7f7f);
  EXPECT_EQ(bf16::from_f32(largest, Rounding::down), 0x7f7f);
  EXPECT_EQ(bf16::from_f32(-largest, Rounding::down), 0xff80);
}

// Returns the number of the format nearest to an integer, by the mode.
uint32_t nearest(const Format& f, int64_t value, Rounding mode) {
  const bool negative = value < 0;
  const auto x = static_cast<double>(negative ? -value : value);
  int low = 0, high = f.dtype == DType::f32 ? 0x7f800000 : infinity_of(f);
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (value_of(f, middle) <= x ? low : high) = middle;
  }
  const double below = value_of(f, low);
  const int pattern = below == x ? low : chosen(x, below, value_of(f, high), low, negative, mode);
  const uint32_t sign = f.dtype == DType::f32 ? f32::kSignBit : 0x8000;
  return static_cast<uint32_t>(pattern) | (negative ? sign : 0);
}

// Rounds once, directly from the integer. Integers above the largest fp16 round by the mode.
TEST(Convert, IntegersRoundOnce) {
  const ScopedFloatMode chip;
  constexpr Format kSingle{"f32", 23, -126, DType::f32, false};
  testing::Rng rng(1);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = static_cast<int32_t>(testing::random_integer(rng));
    for (const DType from : {DType::i32, DType::u32})
      for (const Format& to : {kSingle, kHalf, kBrain})
        for (Rounding mode : kModes)
          ASSERT_EQ(static_cast<uint32_t>(convert(bits, from, to.dtype, mode)),
                    nearest(to, integer_value(bits, from), mode))
              << fmt::format("{:#010x} of {} to {} mode {}", bits, to_string(from), to.name,
                             static_cast<int>(mode));
  }
}

// Compares every mode with the definition, for all shifts of values around ties.
TEST(ShiftRight, RoundsByTheMode) {
  for (uint32_t shift = 0; shift <= 70; ++shift)
    for (const int64_t base : {int64_t{0}, int64_t{1}, int64_t{5}, int64_t{127}})
      for (const int64_t offset : {-1, 0, 1}) {
        if (shift > 50) continue;
        const int64_t half = shift == 0 ? 0 : int64_t{1} << (shift - 1);
        const int64_t value = (base << shift) + half + offset;
        for (const int64_t v : {value, -value}) {
          const long double exact =
              std::ldexp(static_cast<long double>(v), -static_cast<int>(shift));
          EXPECT_EQ(shift_right(v, shift, Rounding::down), std::floor(exact)) << v << ">>" << shift;
          EXPECT_EQ(shift_right(v, shift, Rounding::up), std::ceil(exact));
          EXPECT_EQ(shift_right(v, shift, Rounding::toward_zero), std::trunc(exact));
          EXPECT_EQ(shift_right(v, shift, Rounding::half_away), std::round(exact));
          EXPECT_EQ(shift_right(v, shift, Rounding::half_even), std::rint(exact));
          EXPECT_EQ(shift_right(v, shift, Rounding::half_up), std::floor(exact + 0.5L));
          EXPECT_EQ(shift_right(v, shift, Rounding::half_down), std::ceil(exact - 0.5L));
        }
      }
}

TEST(ShiftRight, BeyondTheWidth) {
  EXPECT_EQ(shift_right(INT64_MAX, 64, Rounding::half_up), 0);
  EXPECT_EQ(shift_right(INT64_MAX, 64, Rounding::up), 1);
  EXPECT_EQ(shift_right(INT64_MIN, 64, Rounding::down), -1);
  EXPECT_EQ(shift_right(INT64_MIN, 64, Rounding::half_away), -1);
  EXPECT_EQ(shift_right(-1, 200, Rounding::down), -1);
}

TEST(Convert, FloatsToIntegersSaturate) {
  const ScopedFloatMode chip;
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float_to_integer(infinity, DType::i8, Rounding::half_even), 127);
  EXPECT_EQ(float_to_integer(-infinity, DType::i16, Rounding::half_even), -32768);
  EXPECT_EQ(float_to_integer(-3.0f, DType::u8, Rounding::half_even), 0);
  EXPECT_EQ(float_to_integer(f32::from_bits(0x7fc00000), DType::i32, Rounding::half_even),
            INT32_MIN);
  EXPECT_EQ(float_to_integer(f32::from_bits(0x7fc00000), DType::u16, Rounding::half_even), 0);
  EXPECT_EQ(static_cast<uint32_t>(float_to_integer(4e9f, DType::u32, Rounding::half_even)),
            4000000000u);
  EXPECT_EQ(static_cast<uint32_t>(float_to_integer(5e9f, DType::u32, Rounding::half_even)),
            UINT32_MAX);
}

}  // namespace
}  // namespace tputwin

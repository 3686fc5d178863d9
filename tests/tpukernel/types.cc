// The types of selects, comparisons, logic and signs, and their results: compared with a formula on
// the host, for the reference kernels and the fast kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tpukernel/own_device.h"

namespace tputwin::tputest {
namespace {

constexpr dim4 kShape{2, 66, 1, 3};
constexpr size_t kCount = 2 * 66 * 3;
constexpr local_addr_t kOut = 0, kA = 0x8000, kB = 0x10000, kTrue = 0x18000;
constexpr data_type_t kTypes[] = {DT_INT8,   DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                                  DT_UINT32, DT_FP16,  DT_BFP16, DT_FP32};

bool is_float_type(data_type_t type) {
  return type == DT_FP16 || type == DT_BFP16 || type == DT_FP32;
}
bool is_signed_type(data_type_t type) {
  return type == DT_INT8 || type == DT_INT16 || type == DT_INT32;
}
uint32_t mask_of(data_type_t type) {
  return bytes_of(type) == 4 ? UINT32_MAX : (1u << 8 * bytes_of(type)) - 1;
}

// Returns border values of a type. The recorded cases cover NaN.
std::vector<uint32_t> borders(data_type_t type) {
  switch (type) {
    case DT_FP16:
      return {0, 0x8000, 0x3c00, 0xbc00, 0x3c01, 0x7c00, 0xfc00, 1, 0x8001, 0x7bff};
    case DT_BFP16:
      return {0, 0x8000, 0x3f80, 0xbf80, 0x3f81, 0x7f80, 0xff80, 1, 0x8001, 0x7f7f};
    case DT_FP32:
      return {0,           0x8000'0000, 0x3f80'0000, 0xbf80'0000, 0x3f80'0001,
              0x7f80'0000, 0xff80'0000, 1,           0x8000'0001, 0x7f7f'ffff};
    default: {
      const uint32_t top = mask_of(type) / 2 + 1;
      return {0, 1, 2, top - 1, top, top + 1, mask_of(type) - 1, mask_of(type), top / 2, 5};
    }
  }
}

double number(uint32_t bits, data_type_t type) {
  const auto sign = [](uint32_t b) { return b & 0x8000 ? -1.0 : 1.0; };
  const auto flushed = [](uint32_t b) {
    return (b & 0x7f80'0000) == 0 ? 0.0 : double{std::bit_cast<float>(b)};
  };
  switch (type) {
    case DT_FP32:
      return flushed(bits);
    case DT_BFP16:
      return flushed(bits << 16);
    case DT_FP16: {
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      if (exponent == 31) return sign(bits) * HUGE_VAL;
      return sign(bits) * (exponent == 0 ? std::ldexp(fraction, -24)
                                         : std::ldexp(1024 + fraction, exponent - 25));
    }
    default:
      if (is_signed_type(type) && bits > mask_of(type) / 2)
        return double(bits) - double(mask_of(type)) - 1;
      return bits;
  }
}

// Returns every pair of two lists.
struct Pairs {
  std::vector<uint32_t> a, b;
};
Pairs pairs_of(data_type_t type) {
  const std::vector<uint32_t> list = borders(type);
  Pairs p;
  for (size_t i = 0; i < kCount; ++i) {
    p.a.push_back(list[i % list.size()]);
    p.b.push_back(list[i / list.size() % list.size()]);
  }
  return p;
}
// Returns any bits, including NaN.
std::vector<uint32_t> any_bits(data_type_t type) {
  std::vector<uint32_t> bits;
  for (uint32_t i = 0; i < kCount; ++i)
    bits.push_back(((i * 0x9e37'79b1u) ^ (i << 7)) & mask_of(type));
  return bits;
}

variable_t tensor(local_addr_t address) {
  variable_t v{.type = TENSOR, .context = {}};
  v.context.addr = address;
  return v;
}
variable_t scalar(uint32_t bits) {
  variable_t v{.type = SCALAR, .context = {}};
  v.context.scalar.u32 = bits;
  return v;
}

using Condition = bool (*)(double, double);
struct SelectFunction {
  void (*call)(local_addr_t, const variable_t*, const variable_t*, const variable_t*,
               const variable_t*, const dim4*, data_type_t, data_type_t);
  Condition holds;
};
constexpr SelectFunction kSelects[] = {
    {tpu_bdc_greater_select, [](double a, double b) { return a > b; }},
    {tpu_bdc_less_select, [](double a, double b) { return a < b; }},
    {tpu_bdc_equal_select, [](double a, double b) { return a == b; }}};

class Types : public ::testing::TestWithParam<KernelChoice> {
 protected:
  OwnDevice own_{GetParam()};
};

// The rule: 8-bit integers with any type; 16-bit integers with 16 and 32 bits; 32-bit integers with
// u32, i32, fp32; fp16 and bf16 with 16 bits; fp32 with 32 bits.
bool select_takes(data_type_t compared, data_type_t chosen) {
  const int in = bytes_of(compared), out = bytes_of(chosen);
  if (in == 1) return true;
  if (is_float_type(compared)) return in == out;
  return in == 2 ? out >= 2 : out == 4;
}

TEST_P(Types, SelectsTake49Pairs) {
  int taken = 0;
  for (data_type_t compared : kTypes)
    for (data_type_t chosen : kTypes) {
      if (!select_takes(compared, chosen)) continue;
      ++taken;
      const Pairs p = pairs_of(compared);
      const std::vector<uint32_t> bits = any_bits(chosen);
      const uint32_t otherwise = 0x8fa1'b2c3u & mask_of(chosen);
      Lanes(own_, kA, kShape, compared).put(p.a);
      Lanes(own_, kB, kShape, compared).put(p.b);
      Lanes(own_, kTrue, kShape, chosen).put(bits);
      const variable_t a = tensor(kA), b = tensor(kB), yes = tensor(kTrue), no = scalar(otherwise);
      for (const SelectFunction& f : kSelects) {
        f.call(kOut, &a, &b, &yes, &no, &kShape, compared, chosen);
        const std::vector<uint32_t> out = Lanes(own_, kOut, kShape, chosen).get();
        for (size_t i = 0; i < kCount; ++i)
          ASSERT_EQ(out[i], f.holds(number(p.a[i], compared), number(p.b[i], compared)) ? bits[i]
                                                                                        : otherwise)
              << compared << " " << chosen << " " << i;
      }
    }
  EXPECT_EQ(taken, 49);
  EXPECT_EQ(own_.error(), "");
}

TEST(TypeRules, SelectsRefuseTheOthers) {
  const variable_t any = scalar(0), at = tensor(kA);
  for (data_type_t compared : kTypes)
    for (data_type_t chosen : kTypes) {
      if (select_takes(compared, chosen)) continue;
      OwnDevice own;
      tpu_bdc_equal_select(kOut, &at, &any, &any, &any, &kShape, compared, chosen);
      EXPECT_NE(own.error().find("TW-TPU-0015"), std::string::npos) << compared << " " << chosen;
    }
}

using CompareFunction = void (*)(local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*,
                                 const dim4*, const dim4*, const dim4*, data_type_t, data_type_t);
using CompareConstant = void (*)(local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*,
                                 const dim4*, const dim4*, data_type_t, data_type_t);
struct Comparison {
  CompareFunction call;
  CompareConstant with_constant;
  Condition holds;
};
constexpr Comparison kComparisons[] = {
    {tpu_bdc_greater, tpu_bdc_greater_C, [](double a, double b) { return a > b; }},
    {tpu_bdc_less, tpu_bdc_less_C, [](double a, double b) { return a < b; }},
    {tpu_bdc_equal, tpu_bdc_equal_C, [](double a, double b) { return a == b; }},
    {tpu_bdc_greater_equal, tpu_bdc_greater_equal_C, [](double a, double b) { return a >= b; }},
    {tpu_bdc_less_equal, tpu_bdc_less_equal_C, [](double a, double b) { return a <= b; }},
    {tpu_bdc_not_equal, tpu_bdc_not_equal_C, [](double a, double b) { return a != b; }}};

TEST_P(Types, ComparisonsTake55Pairs) {
  int taken = 0;
  for (data_type_t source : kTypes)
    for (data_type_t result : kTypes) {
      if (bytes_of(result) > bytes_of(source)) continue;
      ++taken;
      const Pairs p = pairs_of(source);
      scalar_t yes{.u32 = 0xff80'0101u}, constant{.u32 = borders(source)[2]};
      Lanes(own_, kA, kShape, source).put(p.a);
      Lanes(own_, kB, kShape, source).put(p.b);
      for (const Comparison& f : kComparisons) {
        const auto check = [&](size_t i, uint32_t out, uint32_t b) {
          const bool holds = f.holds(number(p.a[i], source), number(b, source));
          ASSERT_EQ(out, holds ? yes.u32 & mask_of(result) : 0)
              << source << " " << result << " " << i;
        };
        f.call(kOut, kA, kB, yes, &kShape, nullptr, nullptr, nullptr, result, source);
        std::vector<uint32_t> out = Lanes(own_, kOut, kShape, result).get();
        for (size_t i = 0; i < kCount; ++i) check(i, out[i], p.b[i]);
        f.with_constant(kOut, kA, constant, yes, &kShape, nullptr, nullptr, result, source);
        out = Lanes(own_, kOut, kShape, result).get();
        for (size_t i = 0; i < kCount; ++i) check(i, out[i], constant.u32);
      }
    }
  EXPECT_EQ(taken, 55);
  EXPECT_EQ(own_.error(), "");
}

using LogicFunction = void (*)(local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
                               const dim4*, const dim4*, data_type_t);
using LogicConstant = void (*)(local_addr_t, local_addr_t, scalar_t, const dim4*, const dim4*,
                               const dim4*, data_type_t);
struct Logic {
  LogicFunction call;
  LogicConstant with_constant;
  uint32_t (*of)(uint32_t, uint32_t);
};
constexpr Logic kLogic[] = {
    {tpu_bdc_and, tpu_bdc_and_C, [](uint32_t a, uint32_t b) { return a & b; }},
    {tpu_bdc_or, tpu_bdc_or_C, [](uint32_t a, uint32_t b) { return a | b; }},
    {tpu_bdc_xor, tpu_bdc_xor_C, [](uint32_t a, uint32_t b) { return a ^ b; }}};

TEST_P(Types, LogicTakesEveryTypeAsBits) {
  for (data_type_t type : kTypes) {
    const std::vector<uint32_t> a = any_bits(type);
    std::vector<uint32_t> b(a.rbegin(), a.rend());
    const scalar_t constant{.u32 = 0x7fc0'55aau};
    Lanes(own_, kA, kShape, type).put(a);
    Lanes(own_, kB, kShape, type).put(b);
    for (const Logic& f : kLogic) {
      f.call(kOut, kA, kB, &kShape, nullptr, nullptr, nullptr, type);
      const std::vector<uint32_t> out = Lanes(own_, kOut, kShape, type).get();
      f.with_constant(kOut, kA, constant, &kShape, nullptr, nullptr, type);
      const std::vector<uint32_t> results = Lanes(own_, kOut, kShape, type).get();
      for (size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(out[i], f.of(a[i], b[i])) << type << " " << i;
        ASSERT_EQ(results[i], f.of(a[i], constant.u32 & mask_of(type))) << type << " " << i;
      }
    }
  }
  EXPECT_EQ(own_.error(), "");
}

TEST(TypeRules, NotTakesIntegersOnly) {
  for (data_type_t type : kTypes) {
    OwnDevice own;
    Lanes(own, kA, kShape, type).put(any_bits(type));
    tpu_bdc_not(kOut, kA, &kShape, nullptr, nullptr, type);
    EXPECT_EQ(own.error().empty(), !is_float_type(type)) << type;
    if (is_float_type(type)) continue;
    const std::vector<uint32_t> a = any_bits(type), out = Lanes(own, kOut, kShape, type).get();
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], ~a[i] & mask_of(type));
  }
}

TEST_P(Types, AbsAndNegTakeUnsignedIntegers) {
  for (data_type_t type : {DT_UINT8, DT_UINT16, DT_UINT32, DT_INT8, DT_INT16, DT_INT32}) {
    const std::vector<uint32_t> a = any_bits(type);
    Lanes(own_, kA, kShape, type).put(a);
    tpu_bdc_neg(kOut, kA, &kShape, nullptr, nullptr, type);
    const std::vector<uint32_t> negative = Lanes(own_, kOut, kShape, type).get();
    tpu_bdc_abs(kOut, kA, &kShape, nullptr, nullptr, type);
    const std::vector<uint32_t> magnitude = Lanes(own_, kOut, kShape, type).get();
    for (size_t i = 0; i < kCount; ++i) {
      const uint32_t below_0 = (0 - a[i]) & mask_of(type);
      ASSERT_EQ(negative[i], below_0) << type << " " << i;
      const bool flips = is_signed_type(type) && number(a[i], type) < 0;
      ASSERT_EQ(magnitude[i], flips ? below_0 : a[i]) << type << " " << i;
    }
  }
  EXPECT_EQ(own_.error(), "");
}

// The reference model stops at amounts of a wider type; the simulator shifts by them and warns.
TEST_P(Types, ShiftsByAWiderTypeAreWarnedOf) {
  int warned = 0;
  for (data_type_t source : {DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32})
    for (data_type_t amount : {DT_INT8, DT_INT16, DT_INT32}) {
      const uint64_t before = own_.warned("TW-TPU-0105");
      const std::vector<uint32_t> a = any_bits(source);
      Lanes(own_, kA, kShape, source).put(a);
      Lanes(own_, kB, kShape, amount).put({static_cast<uint32_t>(-2)});
      const auto shift = is_signed_type(source) ? tpu_bdc_arithmetic_shift : tpu_bdc_logical_shift;
      shift(kOut, kA, kB, &kShape, nullptr, nullptr, nullptr, source, source, amount,
            RM_TOWARDS_ZERO);
      const std::vector<uint32_t> out = Lanes(own_, kOut, kShape, source).get();
      for (size_t i = 0; i < kCount; ++i) {
        const auto quarter = static_cast<int64_t>(number(a[i], source)) / 4;
        ASSERT_EQ(out[i], static_cast<uint32_t>(quarter) & mask_of(source))
            << source << " " << amount;
      }
      const bool is_wider = bytes_of(amount) > bytes_of(source);
      EXPECT_EQ(own_.warned("TW-TPU-0105") - before, is_wider ? 1u : 0u);
      warned += is_wider;
    }
  EXPECT_EQ(warned, 6);
  EXPECT_EQ(own_.error(), "");
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, Types,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return info.param == KernelChoice::reference ? "reference" : "fast";
                         });

}  // namespace
}  // namespace tputwin::tputest

// Differences between the reference model and the documents, tested both ways.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/parameter_name.h"
#include "okkernel/float_model.h"
#include "okkernel/machine.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okktest {
namespace {

constexpr dim4 kOne{1, 1, 1, 1};

// Runs `code` under quirks on int32 values in lane 0; returns the first of them.
template <class Code>
uint32_t run(const okk::Quirks& quirks, std::initializer_list<uint32_t> words, Code code) {
  auto device = std::move(Device::create({.chip = &bm1684(), .global_bytes = 1 << 16}).value());
  okk::Session session(*device, quirks);
  okk::ScopedSession scope(session);
  okk_initialize();
  local_addr_t at = 0;
  for (uint32_t word : words) {
    x32 c;
    c.u32 = word;
    okk_bdc_32bit_set_C(at, c, &kOne, nullptr);
    at += 128;
  }
  code();
  okk_poll();
  EXPECT_TRUE(device->drain().ok());
  uint32_t result;
  std::memcpy(&result, okk_local_mem_addr(0, 0), 4);
  return result;
}

struct Shift {
  bool arithmetic;
  int amount;
  uint32_t documented;
};
class Shift32 : public ::testing::TestWithParam<Shift> {};

TEST_P(Shift32, ByAllBitsIsMathematicalOrLeavesTheValue) {
  const Shift& p = GetParam();
  const uint32_t value = 0x80000001;
  for (bool quirk : {false, true}) {
    const okk::Quirks quirks{.shift32 = quirk};
    const uint32_t expected = quirk ? value : p.documented;
    const auto amount = static_cast<uint32_t>(p.amount);
    EXPECT_EQ(run(quirks, {value, amount},
                  [&] {
                    (p.arithmetic ? okk_bdc_32bit_arithmetic_shift : okk_bdc_32bit_logical_shift)(
                        0, 0, 128, &kOne, nullptr, nullptr, nullptr);
                  }),
              expected);
    EXPECT_EQ(run(quirks, {value},
                  [&] {
                    (p.arithmetic
                         ? okk_bdc_32bit_arithmetic_shift_C
                         : okk_bdc_32bit_logical_shift_C)(0, 0, p.amount, &kOne, nullptr, nullptr);
                  }),
              expected);
    EXPECT_EQ(run(quirks, {amount},
                  [&] {
                    if (p.arithmetic)
                      okk_bdc_32bit_C_arithmetic_shift(0, 0, static_cast<int>(value), &kOne,
                                                       nullptr, nullptr);
                    else
                      okk_bdc_32bit_C_logical_shift(0, 0, value, &kOne, nullptr, nullptr);
                  }),
              expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Amounts, Shift32,
                         ::testing::Values(Shift{true, 32, 0}, Shift{true, -32, 0xffffffff},
                                           Shift{false, 32, 0}, Shift{false, -32, 0}),
                         [](const auto& info) {
                           const auto& p = info.param;
                           return testing::parameter_name(
                               fmt::format("{} {} {}", p.arithmetic ? "arithmetic" : "logical",
                                           p.amount < 0 ? "right" : "left", std::abs(p.amount)));
                         });

// Beyond the documented range only the low 6 bits of an amount are used, as a signed number.
TEST(Shift32, BeyondTheRangeTheLowSixBitsCount) {
  for (bool quirk : {false, true}) {
    auto shift = [&](int amount) {
      return run({.shift32 = quirk}, {0x80000001, static_cast<uint32_t>(amount)},
                 [] { okk_bdc_32bit_logical_shift(0, 0, 128, &kOne, nullptr, nullptr, nullptr); });
    };
    EXPECT_EQ(shift(33), 0x80000001u >> 31);
    EXPECT_EQ(shift(-33), 0x80000001u << 31);
    EXPECT_EQ(shift(64), 0x80000001u);
  }
}

// old * 2^0 + 1 * 1 with the old value 0xffff: 65535 by the document, -1 in the reference model.
TEST(MacSign, OfTheOldValueIsAsSaidOrAlwaysSigned) {
  auto mac = [](const okk::Quirks& quirks, bool is_signed, op_type_t op_type, int rshift) {
    return run(quirks, {0xffffffff, 0x01010101, 0x01010101},
               [&] {
                 okk_bdc_fixed_point_packed_mac(0, 128, 256, &kOne, nullptr, nullptr, nullptr,
                                                is_signed, op_type, 0, rshift);
               }) &
           0xffff;
  };
  EXPECT_EQ(mac({}, false, S8_OP_S8_TO_S16, 4), 4096u);
  EXPECT_EQ(mac({}, true, S8_OP_S8_TO_S16, 4), 0u);
  EXPECT_EQ(mac({}, false, U8_OP_U8_TO_U16, 4), 4096u);
  EXPECT_EQ(mac({.mac_sign = true}, false, S8_OP_S8_TO_S16, 4), 0u);
  EXPECT_EQ(mac({.mac_sign = true}, true, S8_OP_S8_TO_S16, 4), 0u);
  EXPECT_EQ(mac({.mac_sign = true}, false, U8_OP_U8_TO_U16, 4), 4096u);
}

// Returns half of the smallest normal number, computed by the kernel's own code.
float kernel_subnormal() {
  float result = -1;
  EXPECT_EQ(Machine::get().run([&] {
    volatile float smallest = as_float(0x00800000);
    result = smallest * 0.5f;
  }),
            BM_SUCCESS);
  return result;
}

TEST(KernelFlush, KernelCodeIsIeeeByDefaultAndTheHostIsUnchanged) {
  const uint64_t before = float_modes();
  EXPECT_EQ(as_bits(kernel_subnormal()), 0x00400000u);
  EXPECT_EQ(float_modes() & kFlushBits, before & kFlushBits);
  FlushToZero mode;
  EXPECT_EQ(as_bits(kernel_subnormal()), 0x00400000u);
  EXPECT_EQ(float_modes() & kFlushBits, kFlushBits);
}

// Quirks are read once in a process, so this runs in a separate process.
TEST(KernelFlush, KernelCodeFlushesUnderTheQuirk) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("TPUTWIN_QUIRKS", "kernel_flush", 1);
        std::exit(as_bits(kernel_subnormal()) == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tputwin::okktest

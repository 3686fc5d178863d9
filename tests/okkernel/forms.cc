// The forms that a header offers: with and without result_add; OKKERNEL_LOG and OKKERNEL_ASSERT in
// simulation and as on the device.
#undef NDEBUG
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <cstring>

#include "okkernel/machine.h"
#include "okkernel/scale_forms.h"

namespace tputwin::okktest {
namespace {

// old dst 100, src 2, scale 3, bias 10.
float after(void (*call)()) {
  float result = 0;
  EXPECT_EQ(Machine::get().run([&] {
    const dim4 one{1, 1, 1, 1};
    auto set = [&](local_addr_t at, float value) {
      x32 c;
      c.fp32 = value;
      okk_bdc_32bit_set_C(at, c, &one, nullptr);
    };
    set(kDst, 100);
    set(kSrc, 2);
    set(kScale, 3);
    set(kBias, 10);
    call();
    okk_poll();
    std::memcpy(&result, okk_local_mem_addr(0, kDst), 4);
  }),
            BM_SUCCESS)
      << tputwin_last_error();
  return result;
}

constexpr dim4 kOne{1, 1, 1, 1};

TEST(ResultAdd, ScaleInEveryForm) {
  EXPECT_EQ(after([] { c_scale_with(true); }), 106);
  EXPECT_EQ(after([] { c_scale_with(false); }), 6);
  EXPECT_EQ(after(c_scale_without), 6);
  EXPECT_EQ(after(c_scale_old_header), 6);
  EXPECT_EQ(after([] { okk_bdc_scale(kDst, kSrc, kScale, &kOne, nullptr, nullptr, true); }), 106);
  EXPECT_EQ(after([] { okk_bdc_scale(kDst, kSrc, kScale, &kOne, nullptr, nullptr); }), 6);
}

TEST(ResultAdd, ScaleBiasInEveryForm) {
  EXPECT_EQ(after([] { c_scale_bias_with(true); }), 116);
  EXPECT_EQ(after([] { c_scale_bias_with(false); }), 16);
  EXPECT_EQ(after(c_scale_bias_without), 16);
  EXPECT_EQ(after(c_scale_bias_old_header), 16);
  EXPECT_EQ(
      after([] { okk_bdc_scale_bias(kDst, kSrc, kScale, kBias, &kOne, nullptr, nullptr, true); }),
      116);
  EXPECT_EQ(after([] { okk_bdc_scale_bias(kDst, kSrc, kScale, kBias, &kOne, nullptr, nullptr); }),
            16);
}

TEST(Macros, LogPrintsToStandardOutput) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(Machine::get().run([] { OKKERNEL_LOG("tile %d of %s\n", 3, "many"); }), BM_SUCCESS);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "tile 3 of many\n");
}

TEST(Macros, AssertionsHoldOrAbortTheProcess) {
  EXPECT_EQ(Machine::get().run([] { OKKERNEL_ASSERT(1 + 1 == 2); }), BM_SUCCESS);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Machine::get().run([] { OKKERNEL_ASSERT(1 + 1 == 3); }), "1 \\+ 1 == 3");
}

TEST(Macros, OnTheDeviceAssertionsAreLoggedAndTheKernelGoesOn) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(Machine::get().run(device_log_and_assert), BM_SUCCESS);
  const std::string log = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(log, ::testing::StartsWith("before 1\n"));
  EXPECT_THAT(log, ::testing::HasSubstr("device_macros.c:10"));
  EXPECT_THAT(log, ::testing::HasSubstr("device_log_and_assert"));
  EXPECT_THAT(log, ::testing::HasSubstr("1 + 1 == 3"));
  EXPECT_THAT(log, ::testing::EndsWith("after\n"));
}

}  // namespace
}  // namespace tputwin::okktest

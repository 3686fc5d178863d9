// Output on standard error for a host program that checks only BM_SUCCESS.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Log : public Bmlib {
 protected:
  ~Log() override { unsetenv("TPUTWIN_LOG"); }

  // Returns the output of a launch of `kernel`.
  std::string output_of(void (*kernel)(const void*), const char* level = nullptr) {
    static int kernels = 0;  // kernels stay registered
    const std::string name = "logged" + std::to_string(++kernels);
    okk_register_kernel_func(name.c_str(), kernel);
    if (level != nullptr) setenv("TPUTWIN_LOG", level, 1);
    ::testing::internal::CaptureStderr();
    okkernel_launch_sync(device_, name.c_str(), nullptr, 0);
    return ::testing::internal::GetCapturedStderr();
  }

  Opened device_;
};

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Rows of the second command are 200000 elements apart, which exceeds the lane's 512 KiB.
template <int kDistance>
void strides_leave(const void*) {
  okk_initialize();
  const dim4 shape{1, 64, 2, 8}, far{0, 0, kDistance, 1};
  okk_bdc_32bit_set_C(0, {.fp32 = 1.0f}, &shape, nullptr);
  okk_bdc_add_C(0, 4096, 1.0f, &shape, nullptr, &far);
  okk_poll();
}

// Omits okk_initialize(), which gives a warning at the first command.
template <int kTimes>
void warns(const void*) {
  const dim4 shape{1, 64, 1, 8};
  for (int i = 0; i < kTimes; ++i) okk_bdc_32bit_set_C(0, {.fp32 = 1.0f}, &shape, nullptr);
  okk_poll();
}

TEST_F(Log, AnErrorIsOneLineThatNamesStridesLimitExcessAndCommand) {
  const std::string text = output_of(strides_leave<200000>);
  EXPECT_EQ(lines(text), 1u) << text;
  EXPECT_THAT(text, HasSubstr("tputwin: error: TW-MEM-0002 okk_bdc_add_C, command 2 of the launch: "
                              "src_stride = f32(1,64,2,8)@L+0x1000 stride(0,0,200000,1): "));
  EXPECT_THAT(text,
              HasSubstr("it needs 804128 bytes of a lane, which has 524288: 279840 too many"));
  EXPECT_THAT(text, HasSubstr("[OKKernel guide: memories]"));
  EXPECT_EQ(code(), "TW-MEM-0002");  // the call also returns it
}

TEST_F(Log, AWarningComesOnce) {
  const std::string text = output_of(warns<3>);
  EXPECT_EQ(lines(text), 1u) << text;
  EXPECT_THAT(text, HasSubstr("tputwin: warning: TW-OKK-"));
  EXPECT_EQ(output_of(warns<2>), "");
}

TEST_F(Log, LevelsChoose) {
  EXPECT_EQ(output_of(strides_leave<200001>, "quiet"), "");
  EXPECT_NE(output_of(strides_leave<200002>, "errors"), "");
  const auto line = nlohmann::json::parse(output_of(strides_leave<200003>, "json"));
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["id"], "TW-MEM-0002");
  EXPECT_EQ(line["argument"], "src_stride");
  EXPECT_EQ(line["reference"], "OKKernel guide: memories");
}

TEST_F(Log, TheSameErrorOverAndOverIsCutShort) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += output_of(strides_leave<200004>);
  EXPECT_EQ(lines(text), 3u) << text;
  EXPECT_THAT(text, HasSubstr("not said again"));
}

TEST_F(Log, AnAddressBeyondItsMemoryIsTheAddress) {
  const std::string text = output_of([](const void*) {
    okk_initialize();
    const dim4 shape{1, 64, 1, 200000};
    okk_bdc_32bit_set_C(0, {.fp32 = 1.0f}, &shape, nullptr);
    okk_poll();
  });
  EXPECT_THAT(text, Not(HasSubstr("dst_stride")));
}

}  // namespace
}  // namespace tputwin::testing

#include <algorithm>
#include <cstdlib>

#include "bmlib/kernels.h"
#include "bmlib/support.h"
#include "numerics/float_mode.h"

namespace tputwin::testing {
namespace {

using ::testing::HasSubstr;
using Launches = Bmlib;

bm_status_t launch(bm_handle_t handle, const char* kernel) {
  return okkernel_launch_sync(handle, kernel, nullptr, 0);
}
template <class T>
bm_status_t launch(bm_handle_t handle, const char* kernel, const T& arguments) {
  return okkernel_launch_sync(handle, kernel, &arguments, sizeof arguments);
}
TEST_F(Launches, RunWithACopyOfTheArguments) {
  Opened device;
  bm_device_mem_t memory = device.hold(Bytes(4, 0));
  ASSERT_EQ(okkernel_load_firmware(device, "no_such_file", nullptr), BM_SUCCESS);
  CountArguments arguments{0, bm_mem_get_device_addr(memory), 3, 5};
  ASSERT_EQ(launch(device, "count", arguments), BM_SUCCESS) << message();
  EXPECT_EQ(device.word(memory), 15);
  ASSERT_EQ(okkernel_launch_async(device, "count", &arguments, sizeof arguments), BM_SUCCESS);
  arguments = {};
  EXPECT_EQ(device.word(memory), 30);
  ASSERT_EQ(okkernel_sync(device), BM_SUCCESS);
  arguments = {0, bm_mem_get_device_addr(memory), 1, 1};
  ASSERT_EQ(tpu_kernel_launch_sync(device, "count", &arguments, sizeof arguments), BM_SUCCESS);
  EXPECT_EQ(device.word(memory), 31);
  EXPECT_EQ(tputwin_error_count() + tputwin_warning_count(), 0u);
}

// Only the first error of a launch is printed; later ones are not.
TEST_F(Launches, ABrokenLaunchPrintsOneLine) {
  Opened device;
  okk_register_kernel_func("says_too_much", [](const void*) {
    okk_initialize();
    for (int c = -1; c > -9; --c) {
      const dim4 shape{1, c, 1, 1};
      okk_bdc_relu(0, 0, &shape, nullptr, nullptr);
      okk_parallel_end();
    }
  });
  for (const bool is_async : {false, true}) {
    ::testing::internal::CaptureStderr();
    if (is_async) {
      EXPECT_EQ(okkernel_launch_async(device, "says_too_much", nullptr, 0), BM_SUCCESS);
      EXPECT_EQ(okkernel_sync(device), BM_ERR_FAILURE);
    } else {
      EXPECT_EQ(launch(device, "says_too_much"), BM_ERR_FAILURE);
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_THAT(said, HasSubstr("TW-OKK-0003 okk_bdc_relu"));
    EXPECT_THAT(said, HasSubstr("(1,-1,1,1)"));
    EXPECT_EQ(code(), "TW-OKK-0003");
  }
}

TEST_F(Launches, NamesMustBeRegistered) {
  Opened device;
  EXPECT_EQ(launch(device, "cuont"), BM_ERR_PARAM);
  EXPECT_THAT(message(), HasSubstr("\"cuont\""));
  EXPECT_THAT(message(), HasSubstr("asserts, calls_the_host"));
  EXPECT_EQ(launch(device, std::string(64, 'k').c_str()), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0301");
  EXPECT_EQ(launch(device, std::string(65, 'k').c_str()), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0302");
  EXPECT_EQ(launch(device, nullptr), BM_ERR_PARAM);
  EXPECT_EQ(okkernel_launch_sync(device, "nothing", nullptr, 1), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
  EXPECT_EQ(bmkernel_launch(device, nullptr, 0), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0303");
  EXPECT_EQ(launch(device, "nothing"), BM_SUCCESS);
}

TEST_F(Launches, TheLastOfTwoNamesWins) {
  Opened device;
  static int runs = 0;  // kernels stay registered
  const std::string twice = "twice" + std::to_string(++runs);
  okk_register_kernel_func(twice.c_str(), [](const void*) { okk_parallel_end(); });
  EXPECT_EQ(tputwin_warning_count(), 0u);
  okk_register_kernel_func(twice.c_str(), [](const void*) {});
  EXPECT_EQ(tputwin_warning_count(), 1u);
  EXPECT_THAT(tputwin_warning(0, nullptr), HasSubstr("TW-OKK-0408"));
  EXPECT_EQ(launch(device, twice.c_str()), BM_SUCCESS);
  okk_register_kernel_func(twice.c_str(), nullptr);
  EXPECT_EQ(code(), "TW-OKK-0002");
}

TEST_F(Launches, FailAndRecover) {
  Opened device;
  const std::pair<const char*, const char*> failures[] = {{"ends_outside", "TW-OKK-0402"},
                                                          {"starts_twice", "TW-OKK-0401"},
                                                          {"polls_inside", "TW-OKK-0403"},
                                                          {"throws", "TW-OKK-0410"},
                                                          {"calls_the_host", "TW-BML-0005"}};
  for (auto [kernel, expected] : failures) {
    tputwin_clear_errors();
    EXPECT_EQ(launch(device, kernel), BM_ERR_FAILURE) << kernel;
    EXPECT_EQ(code(), expected) << message();
    EXPECT_EQ(tputwin_error_count(), 1u);
    EXPECT_EQ(launch(device, "nothing"), BM_SUCCESS);
  }
  launch(device, "throws");
  EXPECT_THAT(message(), HasSubstr("nobody catches me"));
}

TEST_F(Launches, AsynchronousFailuresComeWithTheSync) {
  Opened device;
  for (auto sync : {okkernel_sync, bm_handle_sync, bm_thread_sync, bm_device_sync}) {
    tputwin_clear_errors();
    ASSERT_EQ(okkernel_launch_async(device, "nothing", nullptr, 0), BM_SUCCESS);
    ASSERT_EQ(okkernel_launch_async(device, "starts_twice", nullptr, 0), BM_SUCCESS);
    ASSERT_EQ(okkernel_launch_async(device, "ends_outside", nullptr, 0), BM_SUCCESS);
    EXPECT_EQ(sync(device), BM_ERR_FAILURE);
    EXPECT_EQ(tputwin_error_count(), 2u);
    EXPECT_EQ(sync(device), BM_SUCCESS);
  }
  tputwin_clear_errors();
  okkernel_launch_async(device, "starts_twice", nullptr, 0);
  bm_flush(device);
  EXPECT_EQ(code(), "TW-OKK-0401");
}

TEST_F(Launches, WarningsCome) {
  Opened device;
  const std::pair<const char*, const char*> all[] = {{"leaves_section_open", "TW-OKK-0404"},
                                                     {"copies_without_initialize", "TW-OKK-0405"},
                                                     {"looks_without_poll", "TW-OKK-0407"}};
  for (auto [kernel, expected] : all) {
    tputwin_clear_errors();
    EXPECT_EQ(launch(device, kernel), BM_SUCCESS) << message();
    EXPECT_EQ(tputwin_warning_count(), 1u);
    EXPECT_THAT(tputwin_warning(0, nullptr), HasSubstr(expected));
  }
}

TEST_F(Launches, AreDrained) {
  Opened device;
  bm_device_mem_t memory = device.hold(Bytes(16, 0));
  ASSERT_EQ(launch(device, "writes_without_poll", bm_mem_get_device_addr(memory)), BM_SUCCESS)
      << message();
  EXPECT_EQ(device.word(memory) & 255, 40);
}

TEST_F(Launches, AssertionsAbortOrFail) {
  Opened device;
  EXPECT_EQ(launch(device, "asserts", 1), BM_SUCCESS);
  setenv("TPUTWIN_ASSERT", "fail", 1);
  EXPECT_EQ(launch(device, "asserts", 2), BM_ERR_FAILURE);
  EXPECT_EQ(code(), "TW-OKK-0409");
  EXPECT_THAT(message(), HasSubstr("kernels.cc"));
  EXPECT_EQ(launch(device, "asserts", 1), BM_SUCCESS);
  unsetenv("TPUTWIN_ASSERT");
}

TEST_F(Launches, PointersStayInTheirMemories) {
  Opened device;
  EXPECT_EQ(launch(device, "looks_everywhere"), BM_SUCCESS) << message();
  for (int memory = 0; memory < 5; ++memory) {
    EXPECT_EQ(launch(device, "looks_outside", memory), BM_ERR_FAILURE);
    EXPECT_EQ(code(), "TW-OKK-0406");
  }
}

// The kernel computes with subnormals although the host flushes them; the launch restores the mode.
TEST_F(Launches, FloatModes) {
  ScopedFloatMode host_flushes;
  Opened device;
  bm_device_mem_t memory = device.hold(Bytes(4, 0));
  ASSERT_EQ(launch(device, "computes_subnormal", bm_mem_get_device_addr(memory)), BM_SUCCESS);
  EXPECT_EQ(device.word(memory), 0x00400000);
  volatile float smallest = 1.17549435e-38f, half = 0.5f;
  EXPECT_EQ(smallest * half, 0.0f);
}

TEST_F(Launches, AreCounted) {
  Opened device;
  std::atomic<int> go = 0;
  const WaitArguments arguments{&go};
  bm_profile_t profile;
  bm_dev_stat_t stat;
  bm_device_mem_t memory = device.hold(Bytes(4, 0));
  device.read(memory);
  ASSERT_EQ(okkernel_launch_async(device, "waits", &arguments, sizeof arguments), BM_SUCCESS);
  ASSERT_EQ(bm_get_profile(device, &profile), BM_SUCCESS);
  EXPECT_EQ(profile.sent_api_counter, 1u);
  EXPECT_EQ(profile.completed_api_counter, 0u);
  go = 1;
  go.notify_all();
  ASSERT_EQ(bm_device_sync(device), BM_SUCCESS);
  ASSERT_EQ(bm_get_profile(device, &profile), BM_SUCCESS);
  EXPECT_EQ(profile.completed_api_counter, 1u);
  EXPECT_EQ(profile.cdma_in_counter, 1u);
  EXPECT_EQ(profile.cdma_out_counter, 1u);
  ASSERT_EQ(bm_get_stat(device, &stat), BM_SUCCESS);
  EXPECT_EQ(stat.tpu_util, 0);
  EXPECT_EQ(stat.heap_num, 3);
}

TEST_F(Launches, TakeTheTimeOfTheChipWhereItIsRequested) {
  setenv("TPUTWIN_TIME", "chip", 1);
  {
    Opened device;
    bm_device_mem_t memory = device.hold(Bytes(4, 0));
    const CountArguments arguments{0, bm_mem_get_device_addr(memory), 3, 5};
    bm_profile_t once, twice;
    unsigned long last = 0;
    ASSERT_EQ(launch(device, "count", arguments), BM_SUCCESS);
    ASSERT_EQ(bm_get_profile(device, &once), BM_SUCCESS);
    EXPECT_GE(once.tpu_process_time, 38u);  // at least the time of a launch
    ASSERT_EQ(launch(device, "count", arguments), BM_SUCCESS);
    ASSERT_EQ(bm_get_profile(device, &twice), BM_SUCCESS);
    EXPECT_NEAR(double(twice.tpu_process_time), 2.0 * double(once.tpu_process_time), 1);
    ASSERT_EQ(bm_get_last_api_process_time_us(device, &last), BM_SUCCESS);
    EXPECT_EQ(last, once.tpu_process_time);
  }
  unsetenv("TPUTWIN_TIME");
}

std::string reported;
TEST_F(Launches, AreReportedToTheCallback) {
  Opened device;
  bmlib_set_api_dbg_callback([](int id, int, int result, const char* kernel) {
    reported = std::to_string(id) + " " + std::to_string(result) + " " + kernel;
  });
  launch(device, "ends_outside");
  bmlib_set_api_dbg_callback(nullptr);
  EXPECT_EQ(reported, "0 2 ends_outside");
}

TEST_F(Launches, LookupTableFits) {
  Opened device;
  Bytes table(902145);
  EXPECT_EQ(bmkernel_load_lookup_table(device, table.data(), 902144), BM_SUCCESS);
  EXPECT_EQ(bmkernel_load_lookup_table(device, table.data(), 902145), BM_ERR_PARAM);
  EXPECT_EQ(bmkernel_load_lookup_table(device, table.data(), 0), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0304");
}

TEST_F(Launches, DeviceFunctionsBelongIntoKernels) {
  okk_initialize();
  EXPECT_EQ(code(), "TW-OKK-0001");
  EXPECT_EQ(okk_local_mem_addr(0, 0), nullptr);
  EXPECT_FALSE(okk_is_parallel_state());
}

}  // namespace
}  // namespace tputwin::testing

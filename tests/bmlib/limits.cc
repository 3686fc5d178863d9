// Launches that exceed their time limit: they are stopped, the host gets an error, and other work
// continues.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "bmlib/kernels.h"
#include "bmlib/support.h"

#if defined(__SANITIZE_THREAD__)
constexpr bool kSignalsAreDelayed = true;  // until the interrupted code calls a function
#else
constexpr bool kSignalsAreDelayed = false;
#endif

namespace tputwin::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kLimit = 50;  // milliseconds

volatile int iterations = 0;
std::atomic<bool> has_begun = false, may_end = false;

void loops(const void*) {
  okk_initialize();
  for (;;) iterations = iterations + 1;
}

void loops_and_polls(const void*) {
  okk_initialize();
  has_begun = true;
  while (!may_end) okk_poll();
}

void loops_after_an_error(const void*) {
  okk_initialize();
  okk_parallel_end();
  for (;;) iterations = iterations + 1;
}

void sleeps(const void*) {
  okk_initialize();
  for (;;) pause();
}

class Limits : public Bmlib {
 protected:
  Limits() {
    has_begun = false;
    may_end = false;
    okk_register_kernel_func("loops", loops);
    okk_register_kernel_func("loops_and_polls", loops_and_polls);
    okk_register_kernel_func("loops_after_an_error", loops_after_an_error);
    okk_register_kernel_func("sleeps", sleeps);
    setenv("TPUTWIN_DEVICES", "2", 1);
  }
  ~Limits() override { unsetenv("TPUTWIN_DEVICES"); }
  static bm_status_t launch(bm_handle_t handle, const char* kernel) {
    return okkernel_launch_sync(handle, kernel, nullptr, 0);
  }
};

TEST_F(Limits, AKernelThatCallsOnIsStopped) {
  Opened device;
  ASSERT_EQ(bm_set_sync_timeout(device, kLimit), BM_SUCCESS);
  EXPECT_EQ(launch(device, "nothing"), BM_SUCCESS);
  EXPECT_EQ(launch(device, "loops_and_polls"), BM_ERR_TIMEOUT);
  EXPECT_EQ(code(), "TW-BML-0317");
  EXPECT_THAT(message(), HasSubstr("kernel loops_and_polls: launch = 2 of device 0"));
  EXPECT_THAT(message(), HasSubstr("after 50 ms it was stopped"));
  EXPECT_EQ(tputwin_error_count(), 1u);
  tputwin_clear_errors();
  EXPECT_EQ(launch(device, "nothing"), BM_SUCCESS) << "the device goes on";
}

TEST_F(Limits, AKernelThatCallsNothingIsStopped) {
  if (kSignalsAreDelayed) GTEST_SKIP() << "the thread sanitizer delays signals";
  Opened device;
  ASSERT_EQ(bm_set_sync_timeout(device, kLimit), BM_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(launch(device, "loops"), BM_ERR_TIMEOUT);
    EXPECT_THAT(message(), HasSubstr("launch = " + std::to_string(i + 1) + " of device 0"));
  }
  bm_device_mem_t memory = device.hold(counting(4));
  CountArguments arguments{0, bm_mem_get_device_addr(memory), 1, 1};
  EXPECT_EQ(okkernel_launch_sync(device, "count", &arguments, sizeof arguments), BM_SUCCESS);
  EXPECT_EQ(device.read(memory)[0], 2);
}

TEST_F(Limits, AWaitingThreadStopsIt) {
  Opened device;
  bm_device_mem_t memory = device.hold(counting(64));
  ASSERT_EQ(bm_set_sync_timeout(device, kLimit), BM_SUCCESS);
  const auto start = [&] {
    may_end = false;
    EXPECT_EQ(okkernel_launch_async(device, "loops_and_polls", nullptr, 0), BM_SUCCESS);
  };
  start();
  EXPECT_EQ(bm_thread_sync(device), BM_ERR_TIMEOUT);
  EXPECT_EQ(bm_thread_sync(device), BM_SUCCESS) << "said once";
  start();
  EXPECT_EQ(bm_device_sync(device), BM_ERR_TIMEOUT);
  start();
  EXPECT_EQ(bm_handle_sync(device), BM_ERR_TIMEOUT);
  start();
  EXPECT_EQ(bm_thread_sync_from_core(device, 0), BM_ERR_TIMEOUT);
  start();
  EXPECT_EQ(device.read(memory), counting(64)) << "a copy waits for the launch before it";
  EXPECT_EQ(okkernel_sync(device), BM_ERR_TIMEOUT);
  start();
  bm_free_device(device, device.allocate(64));
  EXPECT_EQ(bm_thread_sync(device), BM_ERR_TIMEOUT);
  // a launch after it still runs
  start();
  EXPECT_EQ(okkernel_launch_async(device, "nothing", nullptr, 0), BM_SUCCESS);
  EXPECT_EQ(bm_thread_sync(device), BM_ERR_TIMEOUT);
  EXPECT_EQ(code(), "TW-BML-0317");
}

TEST_F(Limits, AHandleThatIsClosedStopsIt) {
  bm_handle_t handle = nullptr;
  ASSERT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  ASSERT_EQ(bm_set_sync_timeout(handle, kLimit), BM_SUCCESS);
  EXPECT_EQ(okkernel_launch_async(handle, "loops_and_polls", nullptr, 0), BM_SUCCESS);
  bm_dev_free(handle);
  EXPECT_EQ(code(), "TW-BML-0317");
}

TEST_F(Limits, TheFirstErrorOfAKernelIsItsCause) {
  if (kSignalsAreDelayed) GTEST_SKIP() << "the thread sanitizer delays signals";
  Opened device;
  ASSERT_EQ(bm_set_sync_timeout(device, kLimit), BM_SUCCESS);
  EXPECT_EQ(launch(device, "loops_after_an_error"), BM_ERR_FAILURE);
  EXPECT_THAT(message(), HasSubstr("the kernel was stopped afterwards, as its time was over"));
}

TEST_F(Limits, ALimitThatIsSetWhileAThreadWaits) {
  Opened device;
  std::thread waits([&] {
    EXPECT_EQ(launch(device, "loops_and_polls"), BM_ERR_TIMEOUT);
    EXPECT_EQ(code(), "TW-BML-0317");
  });
  while (!has_begun) std::this_thread::yield();
  EXPECT_EQ(bm_set_sync_timeout(device, 1), BM_SUCCESS);
  waits.join();
}

TEST_F(Limits, WithoutALimitALaunchTakesItsTime) {
  Opened device;
  ASSERT_EQ(bm_set_sync_timeout(device, 1), BM_SUCCESS);
  ASSERT_EQ(bm_set_sync_timeout(device, 0), BM_SUCCESS);
  ASSERT_EQ(okkernel_launch_async(device, "loops_and_polls", nullptr, 0), BM_SUCCESS);
  while (!has_begun) std::this_thread::yield();
  may_end = true;
  EXPECT_EQ(bm_thread_sync(device), BM_SUCCESS);
}

// A launch that waits for one of another handle, which has no limit, times out before it runs.
TEST_F(Limits, ALaunchAfterOneWithoutALimit) {
  Opened patient, hurried;
  ASSERT_EQ(okkernel_launch_async(patient, "loops_and_polls", nullptr, 0), BM_SUCCESS);
  ASSERT_EQ(bm_set_sync_timeout(hurried, kLimit), BM_SUCCESS);
  EXPECT_EQ(launch(hurried, "nothing"), BM_ERR_TIMEOUT);
  EXPECT_THAT(message(), HasSubstr("kernel nothing: launch = 2 of device 0"));
  EXPECT_THAT(message(), HasSubstr("as kernel loops_and_polls, launch 1 of device 0 runs"));
  may_end = true;
  EXPECT_EQ(bm_handle_sync(patient), BM_SUCCESS) << "it goes on";
  EXPECT_EQ(launch(hurried, "nothing"), BM_SUCCESS);
}

// One kernel runs at a time in a process, even on several devices.
TEST_F(Limits, AKernelThatWaitsForOneOfAnotherDevice) {
  Opened patient(0), hurried(1);
  ASSERT_EQ(okkernel_launch_async(patient, "loops_and_polls", nullptr, 0), BM_SUCCESS);
  while (!has_begun) std::this_thread::yield();
  ASSERT_EQ(bm_set_sync_timeout(hurried, kLimit), BM_SUCCESS);
  EXPECT_EQ(launch(hurried, "nothing"), BM_ERR_TIMEOUT);
  EXPECT_THAT(message(), HasSubstr("it waited for kernel loops_and_polls, launch 1 of device 0"));
  may_end = true;
  EXPECT_EQ(bm_handle_sync(patient), BM_SUCCESS);
  EXPECT_EQ(launch(hurried, "nothing"), BM_SUCCESS);
}

TEST_F(Limits, Misuse) {
  Opened device;
  EXPECT_EQ(bm_set_sync_timeout(device, -1), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0319");
  EXPECT_EQ(bm_set_sync_timeout(nullptr, 1), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
  bm_handle_t closed = nullptr;
  ASSERT_EQ(bm_dev_request(&closed, 0), BM_SUCCESS);
  bm_dev_free(closed);
  EXPECT_EQ(bm_set_sync_timeout(closed, 1), BM_ERR_DEVNOTREADY);
}

// Runs in a process of its own, which ends with the kernel: the kernel waits in a system call.
void lose_a_device() {
  const auto require = [](bool holds, int line) {
    if (holds) return;
    std::fprintf(stderr, "line %d: %s\n", line, tputwin_last_error());
    _exit(1);
  };
  bm_handle_t lost = nullptr, other = nullptr, again = nullptr;
  require(bm_dev_request(&lost, 0) == BM_SUCCESS, __LINE__);
  require(bm_dev_request(&other, 1) == BM_SUCCESS, __LINE__);
  require(bm_set_sync_timeout(lost, 1) == BM_SUCCESS, __LINE__);
  bm_device_mem_t memory{};
  int word = 7;
  require(bm_malloc_device_byte(lost, &memory, 4) == BM_SUCCESS, __LINE__);
  require(okkernel_launch_async(lost, "sleeps", nullptr, 0) == BM_SUCCESS, __LINE__);
  require(okkernel_launch_async(lost, "nothing", nullptr, 0) == BM_SUCCESS, __LINE__);
  require(bm_thread_sync(lost) == BM_ERR_TIMEOUT, __LINE__);
  const std::string why = tputwin_last_error();
  require(why.find("TW-BML-0104 kernel nothing: launch = 2") != std::string::npos, __LINE__);
  // launches fail on every device; memory is still accessible
  require(okkernel_launch_sync(lost, "nothing", nullptr, 0) == BM_ERR_DEVNOTREADY, __LINE__);
  require(okkernel_launch_async(lost, "nothing", nullptr, 0) == BM_SUCCESS, __LINE__);
  require(okkernel_sync(lost) == BM_ERR_DEVNOTREADY, __LINE__);
  require(okkernel_launch_sync(other, "nothing", nullptr, 0) == BM_ERR_DEVNOTREADY, __LINE__);
  require(bm_dev_request(&again, 0) == BM_ERR_DEVNOTREADY, __LINE__);
  require(bm_memcpy_s2d(lost, memory, &word) == BM_SUCCESS, __LINE__);
  word = 0;
  require(bm_memcpy_d2s(lost, &word, memory) == BM_SUCCESS && word == 7, __LINE__);
  bm_free_device(lost, memory);
  bm_dev_free(lost);
  bm_dev_free(other);
  std::exit(0);
}

TEST_F(Limits, AKernelThatCannotBeStoppedLosesTheDevice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(lose_a_device(), ::testing::ExitedWithCode(0),
              "TW-BML-0317 kernel sleeps: launch = 1 of device 0.*could not be stopped; device 0 "
              "is lost");
}

}  // namespace
}  // namespace tputwin::testing

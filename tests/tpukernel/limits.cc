// Kernels of the BM1684X that never end, or crash: bm_set_sync_timeout, and the line of a crash.
#include <bmlib_runtime.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>

#include <csignal>
#include <string>

namespace tputwin::tputest {
namespace {

volatile int iterations = 0;
int* volatile nowhere_to_store = nullptr;

bm_status_t launch(tpu_kernel_func_t function, int limit) {
  tpu_register_kernel_func("limited", function);
  tputwin_clear_errors();
  bm_handle_t handle = nullptr;
  EXPECT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  EXPECT_EQ(bm_set_sync_timeout(handle, limit), BM_SUCCESS);
  const bm_status_t status = tpu_kernel_launch_sync(handle, "limited", nullptr, 0);
  bm_dev_free(handle);
  return status;
}

TEST(TimeLimits, AKernelThatPollsForEver) {
  EXPECT_EQ(launch(
                [](const void*) {
                  tpu_initialize();
                  for (;;) tpu_poll();
                },
                20),
            BM_ERR_TIMEOUT);
  EXPECT_NE(
      std::string(tputwin_last_error()).find("TW-BML-0317 kernel limited: launch = 1 of device"),
      std::string::npos)
      << tputwin_last_error();
  EXPECT_EQ(launch([](const void*) { tpu_initialize(); }, 20), BM_SUCCESS);
}

#ifndef __SANITIZE_THREAD__  // the sanitizer delays signals until a call
TEST(TimeLimits, AKernelThatLoopsInItsOwnCode) {
  EXPECT_EQ(launch(
                [](const void*) {
                  tpu_initialize();
                  for (;;) iterations = iterations + 1;
                },
                20),
            BM_ERR_TIMEOUT);
}
#endif

TEST(TimeLimits, ACrashNamesTheKernel) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto died = [](int status) { return WIFSIGNALED(status) || WEXITSTATUS(status) != 0; };
  EXPECT_EXIT(launch([](const void*) { *nowhere_to_store = 1; }, 0), died,
              "TW-BML-0318 kernel limited: launch = 1 of device 0.*SIGSEGV, address 0x0");
}

}  // namespace
}  // namespace tputwin::tputest

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

using Devices = Bmlib;

TEST_F(Devices, CountComesFromTheEnvironment) {
  int count = 0;
  ASSERT_EQ(bm_dev_getcount(&count), BM_SUCCESS);
  EXPECT_EQ(count, 1);
  setenv("TPUTWIN_DEVICES", "3", 1);
  ASSERT_EQ(bm_dev_getcount(&count), BM_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(bm_dev_query(2), BM_SUCCESS);
  EXPECT_EQ(bm_dev_query(3), BM_ERR_DEVNOTREADY);
  EXPECT_EQ(code(), "TW-BML-0101");
  {
    Opened third(2);
    EXPECT_EQ(bm_get_devid(third), 2);
  }
  unsetenv("TPUTWIN_DEVICES");
  bm_handle_t handle;
  EXPECT_EQ(bm_dev_request(&handle, 1), BM_ERR_DEVNOTREADY);
  EXPECT_EQ(bm_dev_request(&handle, -1), BM_ERR_DEVNOTREADY);
  EXPECT_EQ(bm_dev_request(nullptr, 0), BM_ERR_PARAM);
}

TEST_F(Devices, HandlesOfOneDeviceShareItsMemory) {
  Opened first;
  Bytes bytes = counting(100);
  bm_device_mem_t memory = first.hold(bytes);
  Opened second;
  EXPECT_NE(static_cast<bm_handle_t>(first), static_cast<bm_handle_t>(second));
  EXPECT_EQ(second.read(memory), bytes);
  bm_free_device(second, memory);
  EXPECT_EQ(tputwin_error_count(), 0u);
}

TEST_F(Devices, DevicesAreIndependent) {
  setenv("TPUTWIN_DEVICES", "2", 1);
  Opened first(0), second(1);
  bm_device_mem_t in_first = first.hold(counting(64)), in_second = second.hold(Bytes(64, 7));
  EXPECT_EQ(bm_mem_get_device_addr(in_first), bm_mem_get_device_addr(in_second));
  EXPECT_EQ(first.read(in_first), counting(64));
  EXPECT_EQ(bm_memcpy_c2c(first, second, in_first, in_second, true), BM_SUCCESS);
  EXPECT_EQ(second.read(in_second), counting(64));
  unsetenv("TPUTWIN_DEVICES");
}

TEST_F(Devices, ADeviceEndsWithItsLastHandle) {
  bm_device_mem_t memory;
  {
    Opened device;
    memory = device.hold(counting(8));
  }
  Opened device;
  EXPECT_EQ(bm_mem_get_device_addr(device.allocate(8)), bm_mem_get_device_addr(memory));
  EXPECT_EQ(device.read(memory), Bytes(8, 0));
}

TEST_F(Devices, ClosedAndUnknownHandlesAreErrors) {
  bm_handle_t handle;
  ASSERT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  bm_dev_free(handle);
  bm_device_mem_t memory{};
  EXPECT_EQ(bm_malloc_device_byte(handle, &memory, 4), BM_ERR_DEVNOTREADY);
  EXPECT_EQ(code(), "TW-BML-0003");
  bm_dev_free(handle);
  EXPECT_EQ(code(), "TW-BML-0003");
  int number = 0;
  EXPECT_EQ(bm_get_devid(reinterpret_cast<bm_handle_t>(&number)), -1);
  EXPECT_EQ(code(), "TW-BML-0002");
  EXPECT_EQ(bm_handle_sync(nullptr), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
}

TEST_F(Devices, ReportWhatTheyAre) {
  Opened device;
  unsigned id = 0;
  ASSERT_EQ(bm_get_chipid(device, &id), BM_SUCCESS);
  EXPECT_EQ(id, 0x1684u);
  bm_misc_info info;
  ASSERT_EQ(bm_get_misc_info(device, &info), BM_SUCCESS);
  EXPECT_EQ(info.chipid, 0x1684u);
  EXPECT_EQ(info.chipid_bit_mask, 2u);
  EXPECT_EQ(info.ddr0a_size, 1ll << 32);
  int freq = 0;
  ASSERT_EQ(bm_get_clk_tpu_freq(device, &freq), BM_SUCCESS);
  EXPECT_EQ(freq, 550);
  ASSERT_EQ(bm_set_clk_tpu_freq(device, 75), BM_SUCCESS);
  ASSERT_EQ(bm_get_clk_tpu_freq(device, &freq), BM_SUCCESS);
  EXPECT_EQ(freq, 75);
  unsigned long time = 0;
  EXPECT_EQ(bm_get_last_api_process_time_us(device, &time), BM_NOT_SUPPORTED);
  bm_set_debug_mode(device, 1);
}

TEST_F(Devices, MemorySizeComesFromTheEnvironment) {
  setenv("TPUTWIN_GLOBAL_BYTES", "64M", 1);
  {
    Opened device;
    bm_dev_stat_t stat;
    ASSERT_EQ(bm_get_stat(device, &stat), BM_SUCCESS);
    EXPECT_EQ(stat.mem_total, 63);
    bm_device_mem_t memory;
    EXPECT_EQ(bm_malloc_device_byte(device, &memory, 64u << 20), BM_ERR_NOMEM);
    EXPECT_EQ(code(), "TW-BML-0202");
    EXPECT_EQ(bm_malloc_device_byte(device, &memory, 63u << 20), BM_SUCCESS);
    EXPECT_EQ(bm_malloc_device_byte(device, &memory, 1), BM_ERR_NOMEM);
  }
  for (const char* wrong : {"1", "1T", "-5", "99999999999999999999", "2000G", "17M "}) {
    setenv("TPUTWIN_GLOBAL_BYTES", wrong, 1);
    bm_handle_t handle;
    EXPECT_EQ(bm_dev_request(&handle, 0), BM_ERR_PARAM) << wrong;
    EXPECT_EQ(code(), "TW-BML-0102");
  }
  unsetenv("TPUTWIN_GLOBAL_BYTES");
}

TEST_F(Devices, AChildOfForkOpensItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
#endif
  Opened device;
  bm_device_mem_t memory = device.hold(counting(8));
  const pid_t child = fork();
  if (child == 0) {
    bool good = bm_get_devid(device) == -1;
    bm_handle_t own;
    good = good && bm_dev_request(&own, 0) == BM_SUCCESS;
    Bytes bytes(8, 1);
    good = good && bm_memcpy_d2s(own, bytes.data(), memory) == BM_SUCCESS && bytes == Bytes(8, 0);
    bm_dev_free(own);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(device.read(memory), counting(8));
}

std::atomic<bool> is_running, may_end;

// The child has only the thread that forked; the kernel continues in the parent only.
TEST_F(Devices, AChildOfForkLaunchesWhileAKernelOfItsParentRuns) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
#endif
  Opened device;
  okk_register_kernel_func("runs_on", [](const void*) {
    is_running = true;
    is_running.notify_one();
    may_end.wait(false);
  });
  ASSERT_EQ(okkernel_launch_async(device, "runs_on", nullptr, 0), BM_SUCCESS);
  is_running.wait(false);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // ends a child that hangs
    bm_handle_t own;
    const bool good = bm_dev_request(&own, 0) == BM_SUCCESS &&
                      okkernel_launch_sync(own, "nothing", nullptr, 0) == BM_SUCCESS;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  may_end = true;
  may_end.notify_one();
  EXPECT_EQ(okkernel_sync(device), BM_SUCCESS);
}

}  // namespace
}  // namespace tputwin::testing

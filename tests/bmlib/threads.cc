#include <thread>

#include "bmlib/kernels.h"
#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

using Threads = Bmlib;

// Launches of several handles on one device, and of two devices, all count.
TEST_F(Threads, LaunchAndCopyAtATime) {
  setenv("TPUTWIN_DEVICES", "2", 1);
  Opened first(0), second(1);
  const Opened* devices[] = {&first, &second};
  bm_device_mem_t sums[] = {first.hold(Bytes(4, 0)), second.hold(Bytes(4, 0))};
  auto work = [&](int index) {
    Opened own(index % 2);
    bm_device_mem_t& sum = sums[index % 2];
    const CountArguments arguments{0, bm_mem_get_device_addr(sum), 10, 1};
    for (int i = 0; i < 25; ++i) {
      bm_device_mem_t scratch = own.hold(counting(100));
      EXPECT_EQ(okkernel_launch_async(own, "count", &arguments, sizeof arguments), BM_SUCCESS);
      EXPECT_EQ(okkernel_launch_sync(own, "count", &arguments, sizeof arguments), BM_SUCCESS);
      EXPECT_EQ(own.read(scratch), counting(100));
      bm_free_device(own, scratch);
      if (i % 5 == 0) {
        EXPECT_EQ(okkernel_sync(own), BM_SUCCESS);
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  threads.clear();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(devices[i]->word(sums[i]), 2 * 25 * 2 * 10);
  unsetenv("TPUTWIN_DEVICES");
}

TEST_F(Threads, ErrorsGoToTheThreadThatWaits) {
  Opened device;
  std::jthread([&] {
    EXPECT_EQ(okkernel_launch_sync(device, "ends_outside", nullptr, 0), BM_ERR_FAILURE);
    EXPECT_EQ(tputwin_error_count(), 1u);
    okkernel_launch_async(device, "starts_twice", nullptr, 0);
  }).join();
  EXPECT_EQ(tputwin_error_count(), 0u);
  EXPECT_EQ(bm_thread_sync(device), BM_SUCCESS);  // another thread launched it
  EXPECT_EQ(bm_handle_sync(device), BM_ERR_FAILURE);
  EXPECT_EQ(code(), "TW-OKK-0401");
}

// A copy waits for earlier launches, and a launch waits for earlier copies.
TEST_F(Threads, OneOrderPerDevice) {
  Opened device;
  bm_device_mem_t memory = device.hold(Bytes(4, 0));
  std::atomic<int> go = 0;
  const WaitArguments wait{&go};
  const CountArguments add{0, bm_mem_get_device_addr(memory), 1, 7};
  okkernel_launch_async(device, "waits", &wait, sizeof wait);
  okkernel_launch_async(device, "count", &add, sizeof add);
  std::jthread release([&] {
    go = 1;
    go.notify_all();
  });
  EXPECT_EQ(device.word(memory), 7);
}

TEST_F(Threads, ClosingWaits) {
  std::atomic<int> go = 0;
  const WaitArguments wait{&go};
  bm_handle_t handle;
  ASSERT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  okkernel_launch_async(handle, "waits", &wait, sizeof wait);
  okkernel_launch_async(handle, "ends_outside", nullptr, 0);
  std::jthread release([&] {
    go = 1;
    go.notify_all();
  });
  bm_dev_free(handle);
  EXPECT_EQ(code(), "TW-OKK-0402");
}

}  // namespace
}  // namespace tputwin::testing

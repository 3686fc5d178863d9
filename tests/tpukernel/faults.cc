// Kernels of the BM1684X whose own code is faulty: their launches fail, the process continues.
#include <gtest/gtest.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>

#include <cstring>
#include <functional>
#include <string>

#include "machine/device.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::tputest {
namespace {

// Returns the error of a kernel that runs `code`.
std::string error_of(const std::function<void()>& code) {
  static const auto device =
      std::move(Device::create({.chip = &bm1684x(), .global_bytes = 1 << 24}).value());
  const auto run = [](const void* function) {
    tpu_initialize();
    (*static_cast<const std::function<void()>*>(function))();
  };
  const okk::Outcome outcome = okk::run_kernel(*device, "kernel", run, &code);
  return outcome.error ? outcome.error->message() : "";
}

using Pointer = unsigned char* (*)();
const Pointer kWrong[] = {
    [] { return static_cast<unsigned char*>(tpu_global_mem_addr(0)); },
    [] { return static_cast<unsigned char*>(tpu_global_mem_addr(0x100000000 + (1 << 24))); },
    [] { return static_cast<unsigned char*>(tpu_local_mem_addr(-1, 0)); },
    [] { return static_cast<unsigned char*>(tpu_local_mem_addr(64, 0)); },
    [] { return static_cast<unsigned char*>(tpu_local_mem_addr(0, 256 * 1024)); },
    [] { return static_cast<unsigned char*>(tpu_local_mem_addr_unified(64 * 256 * 1024)); },
    [] { return static_cast<unsigned char*>(tpu_l2_sram_addr(~0ull)); },
};

TEST(Faults, AWrongAddressFailsTheLaunchWhateverTheKernelDoes) {
  const std::function<void(unsigned char*)> uses[] = {
      [](unsigned char* p) { std::memset(p - (1 << 20), 1, 1 << 21); },
      [](unsigned char* p) { p[int64_t{10} << 30] = 1; },
      [](unsigned char* p) { *static_cast<volatile int*>(nullptr) = p[0]; },
      [](unsigned char* p) { TPUKERNEL_ASSERT(p[0] == 1); },
  };
  for (const Pointer pointer : kWrong)
    for (const auto& use : uses) {
      const std::string error = error_of([&] { use(pointer()); });
      EXPECT_NE(error.find("TW-TPU-0406"), std::string::npos) << error;
    }
  EXPECT_EQ(error_of([] { tpu_poll(); }), "");
}

TEST(Faults, LeavingAMemoryThroughItsPointerFailsTheLaunch) {
  const std::string error =
      error_of([] { static_cast<volatile char*>(tpu_local_mem_addr(63, 0))[300 * 1024] = 1; });
  EXPECT_NE(error.find("TW-TPU-0414"), std::string::npos) << error;
  EXPECT_NE(error.find("local memory + 0x100b000"), std::string::npos) << error;
}

TEST(Faults, AKernelThatLoopsInFailingCallsIsEnded) {
  const dim4 shape{1, 1, 1, 0};
  auto* flag = new volatile int(0);
  const std::string error = error_of([&] {
    while (*flag == 0) {
      tpu_bdc_sign(0, 0, &shape, DT_FP32);
      tpu_poll();
    }
  });
  delete flag;
  EXPECT_NE(error.find("TW-TPU-0003"), std::string::npos) << error;
  EXPECT_NE(error.find("was ended"), std::string::npos) << error;
}

}  // namespace
}  // namespace tputwin::tputest

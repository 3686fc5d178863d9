// Devices and memory for mutants of kernels.
#include "insight/kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace tputwin::insight::testing {

void expect_kernel_findings(const char* chip, const std::string& project,
                            std::span<const Mutant> mutants, Job job) {
  check_everything();
  setenv("TPUTWIN_CHIP", chip, 1);
  bm_handle_t handle = nullptr;
  ASSERT_EQ(bm_dev_request(&handle, 0), BM_SUCCESS);
  const std::string includes =
      std::string("-I" TPUTWIN_SOURCE_DIR "/examples/") + project + "/include";
  expect_findings({project + "/device", ".c", includes, "-ltpukernel -lbmlib"}, mutants,
                  [&](const Mutant& mutant, void*, const std::string& kernel) {
                    job(handle, mutant.file, kernel);
                  });
  bm_dev_free(handle);
}

Buffer::Buffer(bm_handle_t handle, size_t bytes, bool filled) : handle_(handle) {
  EXPECT_EQ(bm_malloc_device_byte(handle, &memory_, static_cast<unsigned>(bytes)), BM_SUCCESS);
  std::vector<uint8_t> content(bytes, 0);
  for (size_t i = 3; i < bytes; i += 4) content[i] = 0x3c;
  if (filled) {
    EXPECT_EQ(bm_memcpy_s2d(handle, memory_, content.data()), BM_SUCCESS);
  }
}

Buffer::~Buffer() { bm_free_device(handle_, memory_); }

}  // namespace tputwin::insight::testing

// Mutants of kernels on a device of bmlib.
#pragma once

#include <bmlib_runtime.h>

#include "insight/mutants.h"

namespace tputwin::insight::testing {

// Launches a kernel of an example file, under any name, on small tensors.
using Job = void (*)(bm_handle_t handle, std::string_view file, const std::string& kernel);

// Checks the kernels of examples/PROJECT on a device of that chip.
void expect_kernel_findings(const char* chip, const std::string& project,
                            std::span<const Mutant> mutants, Job job);

// A block of device memory for the object's lifetime. Its bytes are small numbers in any type, or
// are not initialized.
class Buffer {
 public:
  Buffer(bm_handle_t handle, size_t bytes, bool filled = true);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }

 private:
  bm_handle_t handle_;
  bm_device_mem_t memory_;
};

}  // namespace tputwin::insight::testing

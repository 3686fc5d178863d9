// Mutants of kernels on a device of bmlib.
#pragma once

#include <bmlib_runtime.h>

#include "insight/mutants.h"

namespace tputwin::insight::testing {

// Launches a kernel of a file of the examples, under any name, on small tensors.
using Job = void (*)(bm_handle_t handle, std::string_view file, const std::string& kernel);

// The kernels of examples/PROJECT on a device of that chip.
void expect_kernel_findings(const char* chip, const std::string& project,
                            std::span<const Mutant> mutants, Job job);

// Memory of a device, for as long as it lives: bytes that are small numbers in any type, or
// nothing.
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

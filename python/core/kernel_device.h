// KernelDevice: one simulated chip that kernels run on. Memory, launches, observers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "insight/checker.h"
#include "machine/device.h"

namespace tputwin::python {

// A kernel function. One of the BM1684 or BM1684X takes its arguments; one of the BM1880 takes a
// BMKernel context and its arguments.
using AnyKernel = void (*)();

struct KernelDeviceOptions {
  std::string checks;  // "all", comma-separated names, or empty: none
  bool reference = false;
  Schedule schedule = Schedule::program;
  uint64_t seed = 1;
};

class KernelDevice {
 public:
  static Result<std::unique_ptr<KernelDevice>> open(const Chip& chip,
                                                    const KernelDeviceOptions& options);
  virtual ~KernelDevice() = default;

  virtual const Device& device() const = 0;
  const Chip& chip() const { return device().chip(); }
  // Allocates a block of device memory; returns its address.
  Result<uint64_t> allocate(uint64_t bytes);
  Status free(uint64_t address);
  // Copies bytes inside one block.
  Status write(uint64_t address, std::span<const uint8_t> bytes);
  Status read(uint64_t address, std::span<uint8_t> bytes);
  // Runs a kernel until it returns.
  virtual Status launch(const std::string& name, AnyKernel kernel,
                        std::span<const uint8_t> arguments) = 0;
  // Replaces the observer; null: none.
  virtual void watch(Observer* observer) = 0;
  const insight::Report& findings() const { return report_; }

 protected:
  KernelDevice() : report_({.print = false}) {}
  virtual Result<uint64_t> allocate_block(uint64_t bytes) = 0;
  virtual Status free_block(uint64_t address) = 0;
  virtual Status write_block(uint64_t block, uint64_t offset, std::span<const uint8_t> bytes) = 0;
  virtual Status read_block(uint64_t block, uint64_t offset, std::span<uint8_t> bytes) = 0;
  // Adds checks to a fresh device; returns the observer that runs them.
  Result<std::unique_ptr<Observer>> check(const Device& device, const std::string& checks);

  Observer* observer_ = nullptr;

 private:
  // Returns the address of the block that contains the range. The caller must hold mutex_.
  Result<uint64_t> block_of(uint64_t address, uint64_t bytes) const;

  insight::Report report_;
  // Python may free an array in the thread that drops the last reference.
  // Protects the blocks, also those of derived classes.
  std::mutex mutex_;
  std::map<uint64_t, uint64_t> blocks_;  // bytes by address
};

// Each function opens the device of one chip family.
Result<std::unique_ptr<KernelDevice>> open_bm1880(const Chip& chip,
                                                  const KernelDeviceOptions& options);
Result<std::unique_ptr<KernelDevice>> open_bm168x(const Chip& chip,
                                                  const KernelDeviceOptions& options);

}  // namespace tputwin::python

// Two small devices that run the same instructions on the same bytes, one with fast kernels and one
// with reference kernels.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "fuzz/targets.h"
#include "machine/device.h"

namespace tputwin::fuzz {

class DevicePair {
 public:
  DevicePair(const Chip& chip, uint64_t global_bytes)
      : fast_(device(chip, global_bytes, KernelChoice::automatic)),
        reference_(device(chip, global_bytes, KernelChoice::reference)),
        initial_(std::max(LocalMemory(chip).host_bytes().size(), size_t{global_bytes})) {
    // Bytes that depend only on their position, so that an input alone reproduces a finding.
    for (size_t i = 0; i < initial_.size(); ++i)
      initial_[i] = static_cast<uint8_t>(i * 0x9e3779b1u >> 13);
  }

  // Returns true if `run`, which takes a device, leaves the same bytes on both.
  template <class Run>
  bool agree(const Run& run) {
    for (Device* device : {fast_.get(), reference_.get()}) {
      std::ranges::copy_n(
          initial_.begin(),
          static_cast<ptrdiff_t>(device->memories().take_local().host_bytes().size()),
          device->memories().take_local().lane(0));
      std::memcpy(device->memories().take_global().data(), initial_.data(),
                  device->memories().take_global().size());
      run(*device);
      device->errors().clear();
    }
    return std::ranges::equal(fast_->memories().take_local().host_bytes(),
                              reference_->memories().take_local().host_bytes()) &&
           std::memcmp(fast_->memories().take_global().data(),
                       reference_->memories().take_global().data(),
                       fast_->memories().take_global().size()) == 0;
  }

 private:
  static std::unique_ptr<Device> device(const Chip& chip, uint64_t global_bytes,
                                        KernelChoice kernel_choice) {
    const DeviceOptions options{.chip = &chip,
                                .global_bytes = global_bytes,
                                .kernel_choice = kernel_choice,
                                .poison = false};
    return std::move(Device::create(options).value());
  }

  std::unique_ptr<Device> fast_, reference_;
  Bytes initial_;
};

// Returns true if the operation is legal and stays inside memory.
inline bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes) {
  return check(operation, chip).ok() && check_bounds(operation, chip, global_bytes).ok();
}
// Returns true for at most `most` products and bytes: a few bytes of input can require hours of
// work.
inline bool is_affordable(const Operation& operation, const Chip& chip, uint64_t most) {
  const Cost price = cost(operation, chip);
  return price.macs <= most && price.global_bytes <= most && price.local_bytes <= most;
}

}  // namespace tputwin::fuzz

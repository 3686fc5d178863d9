// Code shared by the devices of all chips: memory blocks and the requested checks.
#include "core/kernel_device.h"

#include <fmt/format.h>

#include "base/errors/bmlib.h"

namespace tputwin::python {

Result<std::unique_ptr<KernelDevice>> KernelDevice::open(const Chip& chip,
                                                         const KernelDeviceOptions& options) {
  return chip.family == ChipFamily::bm1880 ? open_bm1880(chip, options)
                                           : open_bm168x(chip, options);
}

Result<uint64_t> KernelDevice::allocate(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  TW_ASSIGN_OR_RETURN(address, allocate_block(bytes));
  blocks_.emplace(address, bytes);
  return address;
}

Status KernelDevice::free(uint64_t address) {
  std::lock_guard lock(mutex_);
  if (blocks_.erase(address) == 0)
    return Error(errors::bml_free).in("free").argument("address", fmt::format("{:#x}", address));
  return free_block(address);
}

Status KernelDevice::write(uint64_t address, std::span<const uint8_t> bytes) {
  std::lock_guard lock(mutex_);
  TW_ASSIGN_OR_RETURN(block, block_of(address, bytes.size()));
  return write_block(block, address - block, bytes);
}

Status KernelDevice::read(uint64_t address, std::span<uint8_t> bytes) {
  std::lock_guard lock(mutex_);
  TW_ASSIGN_OR_RETURN(block, block_of(address, bytes.size()));
  return read_block(block, address - block, bytes);
}

Result<uint64_t> KernelDevice::block_of(uint64_t address, uint64_t bytes) const {
  const auto after = blocks_.upper_bound(address);
  if (after != blocks_.begin()) {
    const auto& [begin, size] = *std::prev(after);
    if (address - begin <= size && bytes <= size - (address - begin)) return begin;
  }
  return Error(errors::bml_range)
      .in("copy")
      .argument("address", fmt::format("{:#x}, {} bytes", address, bytes))
      .detail("no block of the device has all of them");
}

Result<std::unique_ptr<Observer>> KernelDevice::check(const Device& device,
                                                      const std::string& checks) {
  if (checks.empty()) return std::unique_ptr<Observer>();
  TW_ASSIGN_OR_RETURN(wanted, insight::parse_checks(checks));
  return std::unique_ptr<Observer>(std::make_unique<insight::Checker>(device, wanted, report_));
}

}  // namespace tputwin::python

// Memories of a chip, small enough for complete comparisons.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin::testing {

// Bytes of global memory that random operations use.
constexpr uint64_t kTestGlobalBytes = 1 << 22;

// Lanes, and a small global memory of its own.
class TestMemory {
 public:
  explicit TestMemory(const Chip& chip, uint64_t global_bytes = kTestGlobalBytes);
  Memory memory() { return {local_, *global_, l2_.get(), dtcm_.get()}; }
  LocalMemory& local() { return local_; }
  GlobalMemory& global() { return *global_; }
  // Returns the first byte of the lane or memory of a range.
  uint8_t* start_of(const ByteRange& range);
  // Returns all existing memories: local, global, l2, dtcm.
  std::vector<std::span<uint8_t>> all_bytes();
  std::span<uint8_t> local_bytes() { return local_.host_bytes(); }
  std::span<uint8_t> global_bytes() { return {global_->data(), global_->size()}; }
  // Makes this memory equal to another.
  void copy_from(TestMemory& other);

 private:
  LocalMemory local_;
  std::unique_ptr<GlobalMemory> global_, l2_, dtcm_;
};

}  // namespace tputwin::testing

// Simulated global memory: its address space is reserved at once, its pages are zero until written
// and touched lazily.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"

namespace tputwin {

class GlobalMemory {
 public:
  static Result<std::unique_ptr<GlobalMemory>> reserve(uint64_t bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  uint64_t size() const { return size_; }
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  bool contains(uint64_t offset, uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }
  // Returns a pointer to [offset, offset + bytes), or mem_global_range if that is not inside the
  // memory.
  Result<uint8_t*> at(uint64_t offset, uint64_t bytes);

 private:
  GlobalMemory(uint8_t* data, uint64_t size) : data_(data), size_(size) {}
  uint8_t* data_;
  uint64_t size_;
};

}  // namespace tputwin

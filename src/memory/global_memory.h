// Simulated global memory: address space reserved at once, pages touched lazily, zero at first.
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
  // Checked pointer to [offset, offset + bytes).
  Result<uint8_t*> at(uint64_t offset, uint64_t bytes);

 private:
  GlobalMemory(uint8_t* data, uint64_t size) : data_(data), size_(size) {}
  uint8_t* data_;
  uint64_t size_;
};

}  // namespace tputwin

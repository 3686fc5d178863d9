// Local memory: lanes side by side, each a run of lane_bytes; pages touched lazily, zero at first.
#pragma once

#include <cstdint>
#include <memory>

#include "chip/chip.h"

namespace tputwin {

class LocalMemory {
 public:
  // Bytes after the last lane that fast bodies may read (never write) past the end.
  static constexpr size_t kSlack = 256;

  explicit LocalMemory(const Chip& chip)
      : lanes_(chip.lanes), lane_bytes_(chip.lane_bytes), data_(allocate(chip.local_bytes())) {}

  uint32_t lanes() const { return lanes_; }
  uint32_t lane_bytes() const { return lane_bytes_; }
  uint64_t size() const { return uint64_t{lanes_} * lane_bytes_; }
  uint8_t* data() { return data_.get(); }
  const uint8_t* data() const { return data_.get(); }
  uint8_t* lane(uint32_t index) { return data_.get() + uint64_t{index} * lane_bytes_; }
  const uint8_t* lane(uint32_t index) const { return data_.get() + uint64_t{index} * lane_bytes_; }

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* p) const;
  };
  static std::unique_ptr<uint8_t[], Unmap> allocate(uint64_t bytes);

  uint32_t lanes_, lane_bytes_;
  std::unique_ptr<uint8_t[], Unmap> data_;
};

}  // namespace tputwin

// Local memory: lanes of lane_bytes each; pages are touched lazily and zero at first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chip/chip.h"

namespace tputwin {

class LocalMemory {
 public:
  // Bytes after the last lane that fast kernels may read but must not write.
  static constexpr size_t kSlack = 256;

  explicit LocalMemory(const Chip& chip)
      : lanes_(chip.lanes),
        lane_bytes_(chip.lane_bytes),
        lane_stride_(chip.lane_bytes + kGap),
        pages_(allocate(uint64_t{lanes_} * lane_stride_)) {}

  uint32_t lanes() const { return lanes_; }
  uint32_t lane_bytes() const { return lane_bytes_; }
  uint64_t size() const { return uint64_t{lanes_} * lane_bytes_; }
  uint8_t* lane(uint32_t index) { return pages_.get() + uint64_t{index} * lane_stride_; }
  const uint8_t* lane(uint32_t index) const {
    return pages_.get() + uint64_t{index} * lane_stride_;
  }
  // Returns the bytes from a lane to the next one on the host.
  uint32_t lane_stride() const { return lane_stride_; }

  // Returns the byte at an address of the chip, which counts from lane to lane.
  uint8_t* at(uint64_t address) {
    return lane(static_cast<uint32_t>(address / lane_bytes_)) + address % lane_bytes_;
  }
  // Returns the address of a byte of a lane.
  uint64_t address_of(const uint8_t* byte) const {
    const auto offset = static_cast<uint64_t>(byte - pages_.get());
    return offset / lane_stride_ * lane_bytes_ + offset % lane_stride_;
  }

  // Returns the bytes of all lanes, one lane after the other.
  std::vector<uint8_t> image() const;
  void load_image(std::span<const uint8_t> bytes);

  // Removes the gaps between lanes on the host, for code that steps from lane to lane with a
  // pointer. Moves the bytes, so earlier pointers become invalid.
  void close_gaps();

  // Returns all lanes as they are stored on the host, with gaps, which no operation writes.
  std::span<uint8_t> host_bytes() { return {pages_.get(), uint64_t{lanes_} * lane_stride_}; }
  std::span<const uint8_t> host_bytes() const {
    return {pages_.get(), uint64_t{lanes_} * lane_stride_};
  }

 private:
  // The lane size of a chip is a power of two. With such a distance on the host, equal offsets of
  // all lanes would share one cache set. An odd number of extra cache lines spreads them.
  static constexpr uint32_t kGap = 17 * 64;

  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* p) const;
  };
  static std::unique_ptr<uint8_t[], Unmap> allocate(uint64_t bytes);

  uint32_t lanes_, lane_bytes_, lane_stride_;
  std::unique_ptr<uint8_t[], Unmap> pages_;
};

}  // namespace tputwin

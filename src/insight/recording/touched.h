// The memories of a device by byte ranges, and the pages that a run touched.
#pragma once

#include <array>
#include <vector>

#include "machine/device.h"

namespace tputwin::insight::recording {

// Returns all memories for writing without notice. The device must outlive the result.
inline Memory memory_of(Device& device) { return device.memories().take_all(); }

// Returns the size of a memory. Local addresses are counted from lane to lane.
uint64_t size_of(const Memory& memory, Space space);
uint8_t* data_of(const Memory& memory, Space space, uint64_t address);
// Returns the address of the first byte of a range.
inline uint64_t address_of(const Memory& memory, const ByteRange& range) {
  return range.space == Space::local
             ? uint64_t{range.lane} * memory.local.lane_bytes() + range.begin
             : range.begin;
}
inline uint8_t* data_of(const Memory& memory, const ByteRange& range) {
  return data_of(memory, range.space, address_of(memory, range));
}

// Writes bytes from an address on. Lanes follow each other.
void write(const Memory& memory, Space space, uint64_t address, std::span<const uint8_t> bytes);

// Returns the CRC-32 of ranges, one after the other.
uint32_t check_of(const Memory& memory, std::span<const ByteRange> ranges);

class TouchedPages {
 public:
  void add(const Memory& memory, const ByteRange& range) {
    add(range.space, address_of(memory, range), range.end - range.begin);
  }
  void add(Space space, uint64_t address, uint64_t bytes);
  // Returns the CRC-32 of all touched pages.
  uint32_t check(const Memory& memory) const;

 private:
  static constexpr uint64_t kPage = 4096;
  std::array<std::vector<bool>, 4> pages_;  // by enum Space
};

}  // namespace tputwin::insight::recording

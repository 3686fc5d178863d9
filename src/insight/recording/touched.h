// The memories of a device by byte ranges, and which of their pages a run touched.
#pragma once

#include <array>
#include <vector>

#include "machine/device.h"

namespace tputwin::insight::recording {

// All memories, for one who writes without saying so; the device outlives it.
inline Memory memory_of(Device& device) { return device.memory(); }

// The size of a memory. Local memory counts from lane to lane.
uint64_t size_of(const Memory& memory, Space space);
uint8_t* data_of(const Memory& memory, Space space, uint64_t address);
// The first byte of a range.
inline uint64_t address_of(const Memory& memory, const ByteRange& range) {
  return range.space == Space::local
             ? uint64_t{range.lane} * memory.local.lane_bytes() + range.begin
             : range.begin;
}
inline uint8_t* data_of(const Memory& memory, const ByteRange& range) {
  return data_of(memory, range.space, address_of(memory, range));
}

// From an address on, lane behind lane.
void write(const Memory& memory, Space space, uint64_t address, std::span<const uint8_t> bytes);

// CRC-32 of ranges, one after the other.
uint32_t check_of(const Memory& memory, std::span<const ByteRange> ranges);

class TouchedPages {
 public:
  void add(const Memory& memory, const ByteRange& range) {
    add(range.space, address_of(memory, range), range.end - range.begin);
  }
  void add(Space space, uint64_t address, uint64_t bytes);
  // CRC-32 of all of them.
  uint32_t check(const Memory& memory) const;

 private:
  static constexpr uint64_t kPage = 4096;
  std::array<std::vector<bool>, 4> pages_;  // by enum Space
};

}  // namespace tputwin::insight::recording

// Touched pages and their checks.
#include "insight/recording/touched.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace tputwin::insight::recording {

uint8_t* data_of(const Memory& memory, Space space, uint64_t address) {
  return space == Space::local ? memory.local.at(address) : memory.system(space).data() + address;
}

void write(const Memory& memory, Space space, uint64_t address, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    uint64_t count = bytes.size();
    if (space == Space::local)
      count = std::min(count, memory.local.lane_bytes() - address % memory.local.lane_bytes());
    std::memcpy(data_of(memory, space, address), bytes.data(), count);
    address += count;
    bytes = bytes.subspan(count);
  }
}

uint64_t size_of(const Memory& memory, Space space) {
  switch (space) {
    case Space::local:
      return memory.local.size();
    case Space::global:
      return memory.global.size();
    case Space::l2:
      return memory.l2 != nullptr ? memory.l2->size() : 0;
    case Space::dtcm:
      return memory.dtcm != nullptr ? memory.dtcm->size() : 0;
  }
  return 0;
}

uint32_t check_of(const Memory& memory, std::span<const ByteRange> ranges) {
  uLong check = 0;
  for (const ByteRange& range : ranges)
    check = crc32_z(check, data_of(memory, range), range.end - range.begin);
  return static_cast<uint32_t>(check);
}

void TouchedPages::add(Space space, uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  std::vector<bool>& pages = pages_[static_cast<size_t>(space)];
  const uint64_t last = (address + bytes - 1) / kPage;
  if (pages.size() <= last) pages.resize(last + 1);
  for (uint64_t page = address / kPage; page <= last; ++page) pages[page] = true;
}

uint32_t TouchedPages::check(const Memory& memory) const {
  uLong check = 0;
  for (size_t i = 0; i < pages_.size(); ++i) {
    const auto space = static_cast<Space>(i);
    for (uint64_t page = 0; page < pages_[i].size(); ++page)
      if (pages_[i][page])
        check = crc32_z(check, data_of(memory, space, page * kPage),
                        std::min(kPage, size_of(memory, space) - page * kPage));
  }
  return static_cast<uint32_t>(check);
}

}  // namespace tputwin::insight::recording

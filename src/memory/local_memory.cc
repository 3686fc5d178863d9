// Address space of the lanes, which the system fills with zeros at the first access.
#include "memory/local_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "memory/guarded_pages.h"

namespace tputwin {

std::unique_ptr<uint8_t[], LocalMemory::Unmap> LocalMemory::allocate(uint64_t bytes) {
  const uint64_t total = bytes + kSlack;
  uint8_t* pages = map_guarded(total);
  if (pages == nullptr) throw std::bad_alloc();
  // Operations read a row of each lane, and lanes are far from each other. With pages of 4 KiB
  // nearly every row would miss the TLB, so huge pages are requested. A host without them ignores
  // that.
  static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
  return {pages, Unmap{total}};
}

std::vector<uint8_t> LocalMemory::image() const {
  std::vector<uint8_t> bytes(size());
  for (uint32_t i = 0; i < lanes_; ++i)
    std::memcpy(bytes.data() + uint64_t{i} * lane_bytes_, lane(i), lane_bytes_);
  return bytes;
}

void LocalMemory::load_image(std::span<const uint8_t> bytes) {
  for (uint64_t begin = 0; begin < bytes.size(); begin += lane_bytes_)
    std::memcpy(at(begin), bytes.data() + begin,
                std::min<uint64_t>(lane_bytes_, bytes.size() - begin));
}

void LocalMemory::close_gaps() {
  if (lane_stride_ == lane_bytes_) return;
  for (uint32_t i = 1; i < lanes_; ++i)
    std::memmove(pages_.get() + uint64_t{i} * lane_bytes_, lane(i), lane_bytes_);
  guard_rest(pages_.get(), host_bytes().size() + kSlack, size() + kSlack);
  lane_stride_ = lane_bytes_;
}

void LocalMemory::Unmap::operator()(uint8_t* p) const { unmap_guarded(p, bytes); }

}  // namespace tputwin

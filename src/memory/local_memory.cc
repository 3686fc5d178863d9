// Address space of the lanes, which the system fills with zeros when it is touched.
#include "memory/local_memory.h"

#include <sys/mman.h>

#include <new>

#include "memory/guarded_pages.h"

namespace tputwin {

std::unique_ptr<uint8_t[], LocalMemory::Unmap> LocalMemory::allocate(uint64_t bytes) {
  const uint64_t total = bytes + kSlack;
  uint8_t* pages = map_guarded(total);
  if (pages == nullptr) throw std::bad_alloc();
  // Lanes are far apart, and what walks over them takes a row of each: with pages of 4 KiB nearly
  // every row would wait for its address. Where there are no huge pages, that is how it is.
  static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
  return {pages, Unmap{total}};
}

void LocalMemory::Unmap::operator()(uint8_t* p) const { unmap_guarded(p, bytes); }

}  // namespace tputwin

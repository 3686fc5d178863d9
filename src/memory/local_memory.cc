// Address space of the lanes, which the system fills with zeros when it is touched.
#include "memory/local_memory.h"

#include <new>

#include "memory/guarded_pages.h"

namespace tputwin {

std::unique_ptr<uint8_t[], LocalMemory::Unmap> LocalMemory::allocate(uint64_t bytes) {
  const uint64_t total = bytes + kSlack;
  uint8_t* pages = map_guarded(total);
  if (pages == nullptr) throw std::bad_alloc();
  return {pages, Unmap{total}};
}

void LocalMemory::Unmap::operator()(uint8_t* p) const { unmap_guarded(p, bytes); }

}  // namespace tputwin

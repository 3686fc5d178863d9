#include "memory/local_memory.h"

#include <sys/mman.h>

#include <new>

namespace tputwin {

std::unique_ptr<uint8_t[], LocalMemory::Unmap> LocalMemory::allocate(uint64_t bytes) {
  const uint64_t total = bytes + kSlack;
  void* memory = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<uint8_t*>(memory), Unmap{total}};
}

void LocalMemory::Unmap::operator()(uint8_t* p) const { munmap(p, bytes); }

}  // namespace tputwin

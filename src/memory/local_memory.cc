#include "memory/local_memory.h"

#include <cstring>

namespace tputwin {

std::unique_ptr<uint8_t[], LocalMemory::Free> LocalMemory::allocate(uint64_t bytes) {
  // Cache-line aligned so that vector accesses of aligned tensors do not split lines.
  constexpr size_t kAlign = 64;
  size_t total = (bytes + kSlack + kAlign - 1) / kAlign * kAlign;
  auto* memory = static_cast<uint8_t*>(std::aligned_alloc(kAlign, total));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, total);
  return std::unique_ptr<uint8_t[], Free>(memory);
}

}  // namespace tputwin

// First fit allocation, and merging of released blocks.
#include "memory/allocator.h"

#include "base/bits.h"

namespace tputwin {

std::optional<uint64_t> Allocator::allocate(uint64_t bytes) {
  if (bytes > UINT64_MAX - quantum_) return std::nullopt;
  bytes = align_up(bytes, quantum_);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    auto [offset, size] = *it;
    if (size < bytes) continue;
    free_.erase(it);
    if (size > bytes) free_.emplace(offset + bytes, size - bytes);
    return offset;
  }
  return std::nullopt;
}

void Allocator::release(uint64_t offset, uint64_t bytes) {
  bytes = align_up(bytes, quantum_);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

}  // namespace tputwin

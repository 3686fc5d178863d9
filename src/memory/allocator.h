// Allocator of global memory: first fit over a sorted list of free ranges, with neighbours merged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tputwin {

class Allocator {
 public:
  Allocator(uint64_t begin, uint64_t end, uint64_t quantum) : quantum_(quantum) {
    if (begin < end) free_.emplace(begin, end - begin);
  }
  // Returns the offset of a block of at least `bytes` > 0, or nullopt if no free range is large
  // enough.
  std::optional<uint64_t> allocate(uint64_t bytes);
  // Releases the block that allocate(bytes) returned.
  void release(uint64_t offset, uint64_t bytes);

 private:
  uint64_t quantum_;
  std::map<uint64_t, uint64_t> free_;  // offset -> bytes
};

}  // namespace tputwin

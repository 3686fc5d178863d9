// Ranges of global memory, and pages of them.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/global_memory.h"

namespace tputwin {

struct GlobalRange {
  uint64_t begin, bytes;
  uint64_t end() const { return begin + bytes; }
};
constexpr bool intersect(const GlobalRange& a, const GlobalRange& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

// Sorts them; those that touch, or are no further apart than that, become one.
void merge(std::vector<GlobalRange>& ranges, uint64_t gap);

// Bytes of the system's pages: memories begin at a multiple.
uint64_t page_bytes();
// The system gets whole pages back; zeros are in their place.
void give_back(GlobalMemory& memory, const GlobalRange& pages);

}  // namespace tputwin

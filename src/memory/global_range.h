// Ranges of global memory and of its pages.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/global_memory.h"
#include "memory/tensor_view.h"

namespace tputwin {

struct GlobalRange {
  uint64_t begin, bytes;
  uint64_t end() const { return begin + bytes; }
};
constexpr bool intersect(const GlobalRange& a, const GlobalRange& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

// Returns the range from the first byte of a view to its last byte.
GlobalRange extent_in_global(const TensorView& view);

// Sorts the ranges and merges those that overlap, touch, or have at most `gap` bytes between them.
void merge(std::vector<GlobalRange>& ranges, uint64_t gap);

// Returns the page size of the system in bytes. Memories begin at multiples of it.
uint64_t page_bytes();
// Returns whole pages to the system; they read as zeros afterwards.
void give_back(GlobalMemory& memory, const GlobalRange& pages);

}  // namespace tputwin

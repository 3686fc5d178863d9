// Allocations: blocks of global memory, indexed by address.
#include "insight/allocations.h"

namespace tputwin::insight {

void Allocations::add(uint64_t begin, uint64_t bytes, StackId stack) {
  const uint64_t end = begin + bytes;
  auto old = past_.lower_bound(begin);
  if (old != past_.begin() && std::prev(old)->second.end > begin) --old;
  while (old != past_.end() && old->first < end) old = past_.erase(old);
  live_[begin] = {.begin = begin, .end = end, .allocated = stack};
}

bool Allocations::free(uint64_t begin, StackId stack) {
  auto block = live_.extract(begin);
  if (block.empty()) return false;
  block.mapped().freed = stack;
  past_.insert_or_assign(begin, block.mapped());
  return true;
}

const Allocation* Allocations::find(const Blocks& blocks, uint64_t address) {
  const auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return nullptr;
  const Allocation& block = std::prev(after)->second;
  return address < block.end ? &block : nullptr;
}

std::vector<Allocation> Allocations::live() const {
  std::vector<Allocation> blocks;
  for (const auto& [begin, block] : live_) blocks.push_back(block);
  return blocks;
}

}  // namespace tputwin::insight

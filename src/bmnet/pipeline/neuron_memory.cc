// Offsets in neuron memory: first fit over lifetimes.
#include "bmnet/pipeline/neuron_memory.h"

#include <algorithm>
#include <numeric>

namespace tputwin::net {
namespace {

// Bytes that the DMA transfers at once; more than any element has.
constexpr uint64_t kUnit = 64;

uint64_t aligned(uint64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

bool live_together(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

NeuronMemory place_tensors(const std::vector<Lifetime>& lifetimes, bool recycle) {
  NeuronMemory memory;
  memory.offsets.resize(lifetimes.size());
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  // The first tensor, the net's input, stays at 0.
  if (recycle && order.size() > 1)
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<size_t> placed;
  for (size_t i : order) {
    const Lifetime& mine = lifetimes[i];
    std::vector<size_t> neighbours;
    for (size_t other : placed)
      if (!recycle || live_together(mine, lifetimes[other])) neighbours.push_back(other);
    std::sort(neighbours.begin(), neighbours.end(),
              [&](size_t a, size_t b) { return memory.offsets[a] < memory.offsets[b]; });
    uint64_t at = 0;
    for (size_t other : neighbours) {
      if (at + mine.bytes <= memory.offsets[other]) break;
      at = std::max(at, aligned(memory.offsets[other] + lifetimes[other].bytes));
    }
    memory.offsets[i] = at;
    memory.bytes = std::max(memory.bytes, at + mine.bytes);
    placed.push_back(i);
  }
  return memory;
}

}  // namespace tputwin::net

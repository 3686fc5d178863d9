// Offsets of tensors in neuron memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tputwin::net {

// Bytes that are live from unit `first` to unit `last` of the program, both included.
struct Lifetime {
  uint64_t bytes = 0;
  int first = 0, last = 0;
};

// Offsets, one per lifetime, and the total size. With `recycle`, disjoint lifetimes may share
// bytes: each gets the lowest gap that is free while it is live, largest tensors first.
struct NeuronMemory {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};
NeuronMemory place_tensors(const std::vector<Lifetime>& lifetimes, bool recycle);

}  // namespace tputwin::net

// Offsets of tensors in neuron memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tputwin::net {

// Bytes that live from unit `first` to unit `last` of the program, both included.
struct Lifetime {
  uint64_t bytes = 0;
  int first = 0, last = 0;
};

// Offsets, one per lifetime, and the size of the whole. With `recycle`, lifetimes that do not
// overlap may share bytes: each gets the lowest gap that is free all its life, longest tensors
// first.
struct NeuronMemory {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};
NeuronMemory place_tensors(const std::vector<Lifetime>& lifetimes, bool recycle);

}  // namespace tputwin::net

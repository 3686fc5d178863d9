// Allocations: the blocks of global memory that a program holds, and those that it has freed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "insight/stacks.h"

namespace tputwin::insight {

struct Allocation {
  uint64_t begin = 0, end = 0;
  StackId allocated = 0, freed = 0;
};

class Allocations {
 public:
  void add(uint64_t begin, uint64_t bytes, StackId stack);
  // Ends the block that begins at `begin`. Returns false if there is none.
  bool free(uint64_t begin, StackId stack);

  // Returns the block that contains a byte; nullptr: none. past() returns the last freed block that
  // contained it.
  const Allocation* find(uint64_t address) const { return find(live_, address); }
  const Allocation* past(uint64_t address) const { return find(past_, address); }
  std::vector<Allocation> live() const;

 private:
  using Blocks = std::map<uint64_t, Allocation>;  // by first byte
  static const Allocation* find(const Blocks& blocks, uint64_t address);

  Blocks live_, past_;
};

}  // namespace tputwin::insight

// Allocations: the blocks of global memory that a program has, and those that it had.
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
  // Ends the block that begins there; false if there is none.
  bool free(uint64_t begin, StackId stack);

  // The block that a byte lies in; nullptr: none. `past`: that it lay in last.
  const Allocation* find(uint64_t address) const { return find(live_, address); }
  const Allocation* past(uint64_t address) const { return find(past_, address); }
  std::vector<Allocation> live() const;

 private:
  using Blocks = std::map<uint64_t, Allocation>;  // by their first bytes
  static const Allocation* find(const Blocks& blocks, uint64_t address);

  Blocks live_, past_;
};

}  // namespace tputwin::insight

// Copies of sources whose bytes an operation writes before it has read all of them.
#pragma once

#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin {

// Returns true if a result in lanes shares bytes with a source that must be read before them. It
// may return true for operands that are interleaved, of which copies do no harm.
bool needs_copies(const Operation& operation, const LocalMemory& local);

// An equal operation on lanes of the calling thread, in which every source has bytes of its own. An
// operation that needs_copies() returns true of runs there instead, by any of its bodies. At most
// one lives in a thread.
class SourceCopies {
 public:
  // Copies what the operands hold.
  SourceCopies(const Operation& operation, const Memory& memory);
  const Operation& operation() const { return copy_; }
  Memory memory() const;
  // Copies the results to where the operation has them.
  void bring_back() const;

 private:
  const Operation& original_;
  const Memory& memory_;
  Operation copy_;
  uint64_t base_ = 0;             // of a lane: where the first operand begins, rounded down
  LocalMemory* lanes_ = nullptr;  // results are in the lower half of a lane, sources in the upper
};

}  // namespace tputwin

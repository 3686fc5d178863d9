// Copies of sources, for operations that write bytes of a source before they have read all of it.
#pragma once

#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin {

// Returns true if a result in local memory shares bytes with a source that must be read before the
// write. May return true for interleaved operands; copies of these do no harm.
bool needs_copies(const Operation& operation, const LocalMemory& local);

// An equal operation on scratch lanes of the calling thread, where no source shares bytes with a
// result. Operations for which needs_copies() returns true run there, with any of their kernels. A
// thread must have at most one at a time.
class SourceCopies {
 public:
  // Copies the bytes of the operands.
  SourceCopies(const Operation& operation, const Memory& memory);
  const Operation& operation() const { return copy_; }
  Memory memory() const;
  // Copies the results back to the operands of the original operation.
  void bring_back() const;

 private:
  const Operation& original_;
  const Memory& memory_;
  Operation copy_;
  // Offset in a lane: start of the first operand, rounded down to a page.
  uint64_t base_ = 0;
  // Results are in the lower half of a lane, sources in the upper half.
  LocalMemory* lanes_ = nullptr;
};

// Gives back the scratch lanes of the calling thread, which are as large as local memory. Programs
// with a plan seldom need them after their first run.
void release_copy_lanes();

}  // namespace tputwin

// Chains: element-wise operations on tensors of one shape, one after the other, computed tile by
// tile. A tile is some hundred elements of a lane. All operations run on it while its numbers are
// in the first cache. Results that only the chain reads are never written to lanes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/fast/walk/row_job.h"

namespace tputwin::fast {

// Numbers that steps read and write: a tensor in lanes, a result that only the chain reads, or a
// result that is stored as well.
struct ChainPlace {
  TensorView view;  // of all elements, if they are loaded or stored
  size_t bytes;     // of an element
  bool is_loaded = false, is_stored = false;
  uint32_t first = 0, last = 0;  // steps that access it
  uint32_t buffer = 0;           // that holds a tile of it
};

// One operation.
struct ChainStep {
  static constexpr uint32_t kConstant = UINT32_MAX;
  RowWork work;
  std::shared_ptr<const void> kept;  // what work.operation points to, or nullptr
  std::array<RowStream, kMaxRowOperands> streams;
  std::array<uint32_t, kMaxRowOperands> places;  // of the operands; kConstant for constants
  size_t count = 0;
};

struct Chain {
  Shape shape;
  std::vector<ChainPlace> places;
  std::vector<ChainStep> steps;
  uint32_t buffers = 0;
};

// Runs a chain on several threads. Each access to a lane must be to bytes of the same element, or
// to bytes that no other access writes.
void run_chain(const Chain& chain, const Memory& memory);

}  // namespace tputwin::fast

// The operands of element-wise work, as the loops over rows read and write them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/rows.h"

namespace tputwin::fast {

using RowPointers = std::array<uint8_t*, kMaxRowOperands>;
using RowSteps = std::array<size_t, kMaxRowOperands>;

// One operand of the loops: a view or a constant, and the size of its elements in blocks.
struct RowStream {
  TensorView view;
  bool is_constant, written;  // writes to a constant are dropped
  uint32_t constant;
  size_t bytes;  // bytes of an element
  size_t valid;  // bytes of an element that exist
};

RowStream stream_of(const RowOperand& operand, RowForm form);

// Returns the number of parts that each slot is cut into, so that few slots are enough pieces for
// all threads. `tasks` is the number of tasks that all work is worth.
size_t parts_of_slot(size_t slots, uint64_t tasks);

// The rows of one operation.
struct RowJob {
  std::array<RowStream, kMaxRowOperands> streams;
  size_t count = 0;
  RowWork work;
  // True if the elements of a slot can be computed in any order.
  bool is_free = true;

  const Shape& shape() const { return streams[0].view.shape; }
  // Returns the slots of the channels. There is one if all operands are in global memory.
  Slots slots(const LocalMemory& local) const {
    for (size_t k = 0; k < count; ++k)
      if (!streams[k].is_constant && streams[k].view.space == Space::local)
        return local_slots(shape(), local);
    return one_slot(shape());
  }
};

}  // namespace tputwin::fast

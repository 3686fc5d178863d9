// Bounds of a stage: its commands write, and its tensors are, in its own memories only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/instruction.h"
#include "sdk/bmrt/stage_memory.h"

namespace tputwin::bmrt {

// Returns the bytes from the first to the last element of an operand.
uint64_t extent_of(const TensorView& view);

// Returns true if a tensor of the stage has all bytes of a range of device addresses.
bool holds(const StageMemory& memory, uint64_t address, uint64_t bytes, bool to_write);

// Checks the places of inputs or outputs. `place` names the stage in errors.
Status check_tensors(const StageMemory& memory, const std::vector<StageTensor>& tensors,
                     bool are_written, const std::string& place);

// Checks what commands write, one after the other. `place` names the stage in errors.
class WriteBounds {
 public:
  WriteBounds(const StageMemory& memory, std::string place)
      : memory_(memory), place_(std::move(place)) {}

  Status check(const Instruction& instruction);
  // Reports the writes to memory that belongs to no tensor, once, with their number.
  Status report() const;

 private:
  const StageMemory& memory_;
  const std::string place_;
  uint64_t writes_ = 0;
  std::optional<Error> first_;
};

}  // namespace tputwin::bmrt

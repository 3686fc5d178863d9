// Operations that the chip carries out in several commands, as the operations of those commands.
#pragma once

#include <span>
#include <vector>

#include "ops/instruction.h"

namespace tputwin::isa {

// The steps of an operation, each a command of its own: what the kernel library of the chip makes
// of the call, on the call's own work memory. An operation that one command carries out is its own
// step; one that no commands carry out comes back as it is, and encode_command() refuses it.
std::vector<Operation> steps_of(const Operation& op, const Chip& chip);

// A program of steps, numbered anew: who waited for an operation waits for its last step.
std::vector<Instruction> expand(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::isa

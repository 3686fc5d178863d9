// Operations that the chip executes in several commands, as the operations of those commands.
#pragma once

#include <span>
#include <vector>

#include "ops/instruction.h"

namespace tputwin::isa {

// Returns the steps of an operation, each a command. They equal those of the chip's kernel library,
// and use the work memory of the call. An operation with one command is its own step. An operation
// without commands is returned unchanged, and encode_command() refuses it.
std::vector<Operation> steps_of(const Operation& op, const Chip& chip);

// Returns a renumbered program of steps. Commands that waited for an operation wait for its last
// step.
std::vector<Instruction> expand(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::isa

// Checks of instructions of a small chip, shared by several targets.
#pragma once

#include <span>
#include <string>

#include "isa/streams/stream.h"

namespace tputwin::fuzz {

// Encodes and decodes the instruction. Returns "" if it does not encode or comes back equal; else
// the difference.
std::string changed_by_encoding(const Instruction& instruction, const Chip& chip);
// Returns true if the operation is legal and does not take long.
bool is_runnable(const Instruction& instruction, const Chip& chip);
// Returns true if fast and reference kernels give the same bytes on two small devices.
bool kernels_agree(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::fuzz

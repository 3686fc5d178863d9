// What targets ask of instructions of a small chip.
#pragma once

#include <span>
#include <string>

#include "isa/streams/stream.h"

namespace tputwin::fuzz {

// Encoded, if it encodes, it decodes to the same; otherwise what came back instead of what.
std::string changed_by_encoding(const Instruction& instruction, const Chip& chip);
// It keeps the rules and does not take long.
bool is_runnable(const Instruction& instruction, const Chip& chip);
// Fast and reference bodies leave the same bytes of two small devices.
bool bodies_agree(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::fuzz

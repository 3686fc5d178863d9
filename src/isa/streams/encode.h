// Encodes instructions as commands of the BM1684 and BM1684X. Reverses decode_streams().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "ops/instruction.h"

namespace tputwin::isa {

// Returns the command of an instruction with its number and wait; on the BM1684X in the short form
// if possible. Functions that the chip executes in several commands (exp, sign, ...) are errors,
// and so are operands that no field can express.
Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip);

// Both streams of a group, with end commands and zero fill. The instructions of each engine must be
// numbered 1, 2, 3 ...
struct EncodedStreams {
  std::vector<uint8_t> tiu, gdma;
};
Result<EncodedStreams> encode_streams(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::isa

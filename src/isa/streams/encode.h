// Instructions to the commands of the BM1684 and BM1684X: decode_streams() backwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "ops/instruction.h"

namespace tputwin::isa {

// The command of an instruction, its own number and what it waits for included; on the BM1684X in
// the short form if that holds it. Functions that the chip carries out in several commands (exp,
// sign, ...) are an error, as is an operand that no field can say.
Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip);

// Both streams of a group, with their ends and zeros. The instructions of each engine are numbered
// 1, 2, 3 ...
struct EncodedStreams {
  std::vector<uint8_t> tiu, gdma;
};
Result<EncodedStreams> encode_streams(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::isa

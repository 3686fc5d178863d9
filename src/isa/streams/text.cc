// Formats instructions of streams as lines of text, with the names of the chip's kernel library.
#include "isa/streams/format.h"

namespace tputwin::isa {

std::string stream_text(const Instruction& instruction, const Chip& chip) {
  const Engine other = instruction.engine == Engine::dma ? Engine::compute : Engine::dma;
  const std::string wait =
      instruction.wait == 0 ? "" : fmt::format("<- {} {}", stream_name(other), instruction.wait);
  std::string operands = describe(instruction.op);
  operands.erase(0, std::min(operands.find(' '), operands.size()));
  return fmt::format("{:<4} {:>5} {:<12} {}{}", stream_name(instruction.engine), instruction.id,
                     wait, format_of(chip).function_name(instruction, chip), operands);
}

}  // namespace tputwin::isa

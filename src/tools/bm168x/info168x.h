// tputwin info and disasm of bmodels for BM1684 and BM1684X.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "ops/instruction.h"

namespace tputwin::tools {

// Nets, stages, tensors, memory, commands by operation, multiply-accumulates. A stage whose
// commands cannot be decoded is shown with the reason.
std::string info_text(const bmodel::bm168x::File& file);
std::string info_json(const bmodel::bm168x::File& file);

// The commands of every stage, of all its groups one after the other.
struct StageProgram {
  std::string name;  // "resnet stage 0"
  const Chip* chip = nullptr;
  std::vector<Instruction> commands;
};
Result<std::vector<StageProgram>> programs_of(const bmodel::bm168x::File& file);

struct Disasm168xOptions {
  std::optional<std::string> net;  // all when absent
  std::optional<size_t> stage;
};
// Both streams of every command group in the order of execution, a line each.
Result<std::string> disassemble(const bmodel::bm168x::File& file, const Disasm168xOptions& options);

}  // namespace tputwin::tools

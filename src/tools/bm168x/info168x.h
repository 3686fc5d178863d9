// tputwin info and disasm of bmodels for BM1684 and BM1684X.
#pragma once

#include <optional>
#include <string>

#include "bmodel/bm168x/model.h"

namespace tputwin::tools {

// Nets, stages, tensors, memory, commands by operation, multiply-accumulates. A stage whose
// commands cannot be decoded is shown with the reason.
std::string info_text(const bmodel::bm168x::File& file);
std::string info_json(const bmodel::bm168x::File& file);

struct Disasm168xOptions {
  std::optional<std::string> net;  // all when absent
  std::optional<size_t> stage;
};
// Both streams of every command group in the order of execution, a line each.
Result<std::string> disassemble(const bmodel::bm168x::File& file, const Disasm168xOptions& options);

}  // namespace tputwin::tools

// tputwin info and disasm of bmodels for BM1684 and BM1684X.
#pragma once

#include <optional>
#include <string>

#include "bmodel/bm168x/model.h"

namespace tputwin::tools {

// Returns nets, stages, tensors, memory, commands by operation, multiply-accumulates and forms of
// commands that no recording confirms. A stage whose commands cannot be decoded is shown with the
// reason, a dynamic one as not priced.
std::string info_text(const bmodel::bm168x::File& file);
std::string info_json(const bmodel::bm168x::File& file);

struct Disasm168xOptions {
  std::optional<std::string> net;  // all if absent
  std::optional<size_t> stage;
  bool strict = false;  // forms that no recording confirms are an error
};
struct Disassembly {
  std::string text;
  Status status;  // the error of the first stage that cannot be shown
};
// Returns both streams of every command group in the order of execution, one line per command.
// Comments name forms that no recording confirms, dynamic stages, and stages that cannot be
// decoded.
Disassembly disassemble(const bmodel::bm168x::File& file, const Disasm168xOptions& options);

}  // namespace tputwin::tools

// tputwin disasm: command buffers as text, one line per instruction.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::tools {

struct DisasmOptions {
  bool json = false;
  std::optional<size_t> variety;  // of a bmodel; all if absent
};

// `file` is a bmodel of either container, or a bare command buffer.
Result<std::string> disassemble(std::span<const uint8_t> file, const DisasmOptions& options);

}  // namespace tputwin::tools

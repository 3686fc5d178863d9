// Bytes as one line of text: packed, in base64.
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::tools {

std::string base64(std::span<const uint8_t> bytes);

std::string packed_line(const std::string& bytes);
// Errors: cli_checkpoint, of a line that is none.
Result<std::string> unpacked_line(const std::string& line);

}  // namespace tputwin::tools

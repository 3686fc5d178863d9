// Bytes as one line of text: compressed, in base64.
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::tools {

std::string base64(std::span<const uint8_t> bytes);

std::string packed_line(const std::string& bytes);
// Returns cli_checkpoint for a line of another form.
Result<std::string> unpacked_line(const std::string& line);

}  // namespace tputwin::tools

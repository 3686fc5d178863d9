// Whole files to and from memory. "-" stands for standard input and output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin {

Result<std::vector<uint8_t>> read_bytes(const std::string& path);
Status write_bytes(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace tputwin

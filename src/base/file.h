// Whole files to and from memory. "-" stands for standard input and output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin {

// More than `most` bytes, which pipes and devices may have, are an error.
Result<std::vector<uint8_t>> read_bytes(const std::string& path, size_t most = SIZE_MAX);
// The file is there whole or not at all (atomic_file.h).
Status write_bytes(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace tputwin

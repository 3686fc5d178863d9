// Reads and writes whole files. "-" stands for standard input and output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin {

// Reads a whole file of at most `most` bytes. A longer file, pipe or device is an error.
Result<std::vector<uint8_t>> read_bytes(const std::string& path, size_t most = SIZE_MAX);
// Writes the file completely or not at all (atomic_file.h).
Status write_bytes(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace tputwin

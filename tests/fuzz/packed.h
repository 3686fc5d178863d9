// gzip in memory, as used by idx files.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

bool has_gzip_mark(std::span<const uint8_t> bytes);
// Unpacks as much as possible, at most a megabyte.
Bytes unpacked(std::span<const uint8_t> bytes);
Bytes packed(std::span<const uint8_t> bytes);

}  // namespace tputwin::fuzz

// gzip in memory, as idx files come.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

bool has_gzip_mark(std::span<const uint8_t> bytes);
// What can be unpacked; no more than a megabyte.
Bytes unpacked(std::span<const uint8_t> bytes);
Bytes packed(std::span<const uint8_t> bytes);

}  // namespace tputwin::fuzz

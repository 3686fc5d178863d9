// Archives (.npz) in memory.
#pragma once

#include <string>
#include <utility>

#include "fuzz/targets.h"

namespace tputwin::fuzz {

using Members = std::vector<std::pair<std::string, Bytes>>;

// Returns the members of an archive that can be read.
Members unzip(std::span<const uint8_t> archive);
Bytes zip(const Members& members);

}  // namespace tputwin::fuzz

// Archives (.npz) in memory.
#pragma once

#include <string>
#include <utility>

#include "fuzz/targets.h"

namespace tputwin::fuzz {

using Members = std::vector<std::pair<std::string, Bytes>>;

// What can be read of an archive.
Members unzip(std::span<const uint8_t> archive);
Bytes zip(const Members& members);

}  // namespace tputwin::fuzz

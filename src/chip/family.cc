// The chips of a family.
#include "chip/family.h"

#include <algorithm>
#include <cstdlib>

namespace tputwin {

const Chip& first_of(ChipFamily family) {
  return **std::ranges::find(chips(), family, [](const Chip* chip) { return chip->family; });
}

const Chip& chip_of_process(ChipFamily family) {
  const char* name = std::getenv("TPUTWIN_CHIP");
  const Chip* named = name != nullptr ? find_chip(name) : nullptr;
  return named != nullptr && named->family == family ? *named : first_of(family);
}

}  // namespace tputwin

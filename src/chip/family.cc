// The chips of a family.
#include "chip/family.h"

#include <algorithm>

#include "base/variables.h"

namespace tputwin {

const Chip& first_of(ChipFamily family) {
  return **std::ranges::find(chips(), family, [](const Chip* chip) { return chip->family; });
}

const Chip& chip_of_process(ChipFamily family) {
  const Chip* named = find_chip(value_of(EnvVariable::chip));
  return named != nullptr && named->family == family ? *named : first_of(family);
}

}  // namespace tputwin

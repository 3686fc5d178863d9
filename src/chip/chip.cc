// The list of chips, and the search by name or version.
#include "chip/chip.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/variables.h"

namespace tputwin {

namespace {

// Returns a number above 0 from the environment, or 0 if there is none.
uint32_t number_of(EnvVariable variable) {
  const uint64_t number = number_in(variable);
  return number <= INT32_MAX ? static_cast<uint32_t>(number) : 0;
}

// Returns the chip with the lanes that the environment sets. A modified copy lives as long as the
// process.
const Chip* with_lanes_wanted(const Chip& chip) {
  const uint32_t lanes = number_of(EnvVariable::lanes), bytes = number_of(EnvVariable::lane_bytes);
  if (lanes == 0 && bytes == 0) return &chip;
  auto* made = new Chip(chip);
  if (lanes != 0) made->lanes = lanes;
  if (bytes != 0) {
    made->lane_bytes = bytes;
  }
  return made;
}

}  // namespace

std::span<const Chip* const> chips() {
  static const Chip* const all[] = {
#define TW_CHIP(name) with_lanes_wanted(name()),
#include "chip/chips.def"
#undef TW_CHIP
  };
  return all;
}

const Chip* find_chip(std::string_view name_or_version) {
  auto same_letter = [](unsigned char a, unsigned char b) {
    return std::toupper(a) == std::toupper(b);
  };
  for (const Chip* chip : chips())
    if (std::ranges::equal(chip->name, name_or_version, same_letter) ||
        std::to_string(chip->version) == name_or_version)
      return chip;
  return nullptr;
}

}  // namespace tputwin

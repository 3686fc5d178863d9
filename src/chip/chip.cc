// The chips there are, found by name or version.
#include "chip/chip.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tputwin {

std::span<const Chip* const> chips() {
  static const Chip* const all[] = {
#define TW_CHIP(name) &name(),
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

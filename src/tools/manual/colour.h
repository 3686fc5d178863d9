// Colour for people: only where a terminal shows it, and never where NO_COLOR is set
// (no-color.org).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tputwin::tools {

enum class Colour { red, green, yellow };

bool wants_colour(std::FILE* file);
// The text, in that colour if the file's reader wants colours.
std::string coloured(std::FILE* file, Colour colour, std::string_view text);

}  // namespace tputwin::tools

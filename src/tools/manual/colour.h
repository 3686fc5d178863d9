// Colours for terminals; none if NO_COLOR is set (no-color.org).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tputwin::tools {

enum class Colour { red, green, yellow };

bool wants_colour(std::FILE* file);
// Returns the text, in that colour if the file is a terminal that shows colours.
std::string coloured(std::FILE* file, Colour colour, std::string_view text);

}  // namespace tputwin::tools

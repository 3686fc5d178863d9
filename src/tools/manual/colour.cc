// Colours: detection of terminals, and their codes.
#include "tools/manual/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace tputwin::tools {

bool wants_colour(std::FILE* file) {
  const char* no = std::getenv("NO_COLOR");
  if (no != nullptr && *no != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb" && isatty(fileno(file)) != 0;
}

std::string coloured(std::FILE* file, Colour colour, std::string_view text) {
  if (!wants_colour(file)) return std::string(text);
  const int code = colour == Colour::red ? 31 : colour == Colour::green ? 32 : 33;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", code, text);
}

}  // namespace tputwin::tools

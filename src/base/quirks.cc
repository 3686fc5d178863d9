// Looks up quirks in TPUTWIN_QUIRKS.
#include "base/quirks.h"

#include <algorithm>

#include "base/variables.h"

namespace tputwin {

bool has_quirk(std::string_view name) {
  std::string_view rest = value_of(EnvVariable::quirks);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    if (rest.substr(0, comma) == name || rest.substr(0, comma) == "all") return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace tputwin

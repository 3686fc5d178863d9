// The version, from the project's CMakeLists.txt, and the commit, from git if there is a
// repository.
#include "tools/manual/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <generated_version.h>

#include <vector>

#include "chip/chip.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"

namespace tputwin::tools {

std::string version() { return TPUTWIN_VERSION; }

std::string version_text() {
  std::vector<std::string> names;
  for (const Chip* chip : chips()) names.emplace_back(chip->name);
  std::string text = fmt::format("tputwin {}\nchips    {}\nvectors  {}", version(),
                                 fmt::join(names, ", "), fmt::join(fast::available_isas(), ", "));
  if (!fast::missing_isas().empty())
    text +=
        fmt::format("; compiled, but not on this host: {}", fmt::join(fast::missing_isas(), ", "));
  return text + fmt::format("\ncommit   {}", TPUTWIN_COMMIT);
}

}  // namespace tputwin::tools

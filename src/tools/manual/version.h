// What this build is.
#pragma once

#include <string>

namespace tputwin::tools {

// "0.1.0" (SemVer 2.0.0)
std::string version();
// What `tputwin --version` prints: the version, chips, instruction sets, and the commit it was
// configured from.
std::string version_text();

}  // namespace tputwin::tools

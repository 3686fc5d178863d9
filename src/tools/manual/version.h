// Version of this build.
#pragma once

#include <string>

namespace tputwin::tools {

// Returns "0.1.0" (SemVer 2.0.0).
std::string version();
// Returns the text of `tputwin --version`: the version, chips, instruction sets, and the commit
// that was configured.
std::string version_text();

}  // namespace tputwin::tools

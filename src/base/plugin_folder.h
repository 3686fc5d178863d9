// Location of the CPU operators that are shipped with tputwin.
#pragma once

#include <string>

namespace tputwin {

// Returns the directory with ARCHITECTURE/NAME.so next to this library or program, in a build or an
// installation. Empty if there is none.
std::string shipped_plugins();

}  // namespace tputwin

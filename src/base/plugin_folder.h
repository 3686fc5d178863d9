// Where the CPU operators that come with the twin lie.
#pragma once

#include <string>

namespace tputwin {

// The folder with ARCHITECTURE/NAME.so, beside this library or program, in a build or an
// installation. Empty if there is none.
std::string shipped_plugins();

}  // namespace tputwin

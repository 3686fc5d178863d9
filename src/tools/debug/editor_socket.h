// The connection of an editor to a port.
#pragma once

#include "base/error.h"

namespace tputwin::tools {

// Returns the descriptor of the first connection to a port of this host.
Result<int> connected_editor(int port);

}  // namespace tputwin::tools

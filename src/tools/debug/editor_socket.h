// The connection of an editor that comes to a port.
#pragma once

#include "base/error.h"

namespace tputwin::tools {

// The descriptor of the first who connects to a port of this host.
Result<int> connected_editor(int port);

}  // namespace tputwin::tools

// Quirks: named deviations of the reference models from the documents. The environment variable
// TPUTWIN_QUIRKS enables them: "shift32,mac_sign", or "all". docs/discrepancies.md lists them.
#pragma once

#include <string_view>

namespace tputwin {

// Returns true if the quirk is enabled. Reads the environment at each call.
bool has_quirk(std::string_view name);

}  // namespace tputwin

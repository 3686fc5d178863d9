// Departures of the reference models from the documents, each with a name, that the environment
// variable TPUTWIN_QUIRKS switches on: "shift32,mac_sign", or "all". docs/discrepancies.md lists
// them.
#pragma once

#include <string_view>

namespace tputwin {

// Looks at the environment at every call.
bool has_quirk(std::string_view name);

}  // namespace tputwin

// Reads the environment at each call.
#include "base/native_plugins.h"

#include <string_view>

#include "base/variables.h"

namespace tputwin {

bool native_plugins_allowed() { return value_of(EnvVariable::allow_native_plugins) == "1"; }

}  // namespace tputwin

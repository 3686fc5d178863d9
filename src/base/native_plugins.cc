// Reads the environment at each call.
#include "base/native_plugins.h"

#include <cstdlib>
#include <string_view>

namespace tputwin {

bool native_plugins_allowed() {
  const char* value = std::getenv(kNativePlugins);
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace tputwin

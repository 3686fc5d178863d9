// Whether code that lies in models may run: a bmodel is data of whoever made it, a shared object in
// it is a program with the user's rights.
#pragma once

namespace tputwin {

inline constexpr const char* kNativePlugins = "TPUTWIN_ALLOW_NATIVE_PLUGINS";

// TPUTWIN_ALLOW_NATIVE_PLUGINS is 1. Libraries that the user names (TPUTWIN_PLUGIN_PATH,
// TPUTWIN_CPUOPS, kernels) need no leave.
bool native_plugins_allowed();

}  // namespace tputwin

// Permission to run native code in models. A bmodel is data of unknown origin. A shared object in
// it is a program with the user's rights.
#pragma once

namespace tputwin {

// Returns true if TPUTWIN_ALLOW_NATIVE_PLUGINS is 1. Libraries that the user names
// (TPUTWIN_PLUGIN_PATH, TPUTWIN_CPUOPS, kernels) need no permission.
bool native_plugins_allowed();

}  // namespace tputwin

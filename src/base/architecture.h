// The host's architecture, as the vendor names its plugin directories: PATH/armv8/NAME.so.
#pragma once

namespace tputwin {

#if defined(__aarch64__)
inline constexpr const char* kArchitecture = "armv8";
#else
inline constexpr const char* kArchitecture = "x86_64";
#endif

}  // namespace tputwin

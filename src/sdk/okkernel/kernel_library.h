// Loading of kernel libraries that call undefined functions. Kernels of a project share files, and
// few launches reach all functions.
#pragma once

#include <string>
#include <vector>

namespace tputwin::okk {

struct KernelLibrary {
  // From dlopen(); nullptr if the library cannot be loaded.
  void* handle = nullptr;
  std::string reason;                  // why it could not be loaded
  bool undefined_at_load = false;      // because of undefined symbols
  std::vector<std::string> undefined;  // functions that end a launch that calls them
};

// Functions bind at their first call. A library that binds all at once (linked with -z now), or
// takes the address of an undefined symbol, cannot be loaded; the reason lists the names.
// visibility must be RTLD_LOCAL or RTLD_GLOBAL.
KernelLibrary load_kernel_library(const std::string& path, int visibility);

// "a, b, c"
std::string joined(const std::vector<std::string>& names);

}  // namespace tputwin::okk

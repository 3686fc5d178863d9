// Libraries of kernels, loaded although functions that they call are defined nowhere: kernels of a
// project share files, and few launches reach all of them.
#pragma once

#include <string>
#include <vector>

namespace tputwin::okk {

struct KernelLibrary {
  void* handle = nullptr;              // of dlopen(); nullptr if the library cannot be loaded
  std::string reason;                  // why not
  bool undefined_at_load = false;      // because of what is defined nowhere
  std::vector<std::string> undefined;  // functions that end a launch that calls them
};

// Functions bind when they are called first. A library that binds all at once (linked with
// -z now) or takes the address of what is defined nowhere cannot be loaded; the reason has the
// names. visibility: RTLD_LOCAL or RTLD_GLOBAL.
KernelLibrary load_kernel_library(const std::string& path, int visibility);

// "a, b, c"
std::string joined(const std::vector<std::string>& names);

}  // namespace tputwin::okk

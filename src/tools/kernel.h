// tputwin kernel: the kernels of a shared object, listed, and run without a host program.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Names of the kernels that a library registers when it is loaded.
Result<std::vector<std::string>> load_kernels(const std::string& library);

// Runs a loaded kernel with the arguments that a JSON text describes (docs/cli.md), and returns
// what `tputwin kernel run` prints, as JSON if asked.
Result<std::string> run_kernel(const std::string& kernel, const std::string& parameters,
                               bool json = false);

}  // namespace tputwin::tools

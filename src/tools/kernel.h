// tputwin kernel: lists the kernels of a shared object and runs them without a host program.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Returns the names of the kernels that a library registers when it is loaded.
Result<std::vector<std::string>> load_kernels(const std::string& library);

// Runs a loaded kernel with the arguments of a JSON text (docs/cli.md). Returns the text of
// `tputwin kernel run`, or JSON.
Result<std::string> run_kernel(const std::string& kernel, const std::string& parameters,
                               bool json = false);

}  // namespace tputwin::tools

// tputwin record: records the run of a host program or a model (.tprec), or its kernels as the nets
// of a bmodel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Ending of files that hold runs.
inline constexpr std::string_view kRunSuffix = ".tprec";

struct Recording {
  int exit_code;     // of the program
  std::string path;  // of the file; empty: a model did not run, and printed why
};

// Runs a program with its arguments and an environment that records it. If the output is
// FILE.tprec, it holds the run of the first device, and FILE-2.tprec, ... those of others. Any
// other file is a bmodel. A folder, or a path that ends with '/', is a context directory.
Result<Recording> record_program(const std::string& output,
                                 const std::vector<std::string>& program);

}  // namespace tputwin::tools

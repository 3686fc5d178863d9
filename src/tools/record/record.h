// tputwin record: a host program, or a model, whose run becomes a recording (.tprec), or whose
// kernels become the nets of a bmodel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Files with this ending hold runs.
inline constexpr std::string_view kRunSuffix = ".tprec";

struct Recording {
  int exit_code;     // of the program
  std::string path;  // of the file
};

// Runs a program with its arguments; the environment tells it where to. Output FILE.tprec: the run
// of its first device; those of others beside it (FILE-2.tprec). Any other file: a bmodel; a
// folder, or what ends with '/': a context directory.
Result<Recording> record_program(const std::string& output,
                                 const std::vector<std::string>& program);

}  // namespace tputwin::tools

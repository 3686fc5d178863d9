// tputwin debug: a host program, or a model, forwards and backwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct DebugOptions {
  uint64_t bytes = 0;  // for going back; 0: as many as usual
  std::string script;  // a file of commands that come before those that are typed
};

// Runs a program with its arguments under commands of standard input; its exit code. What the
// debugger says goes to standard output.
Result<int> debug_program(const DebugOptions& options, const std::vector<std::string>& program);

}  // namespace tputwin::tools

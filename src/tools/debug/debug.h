// tputwin debug: runs a host program or a model forwards and backwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct DebugOptions {
  uint64_t bytes = 0;  // memory for going back; 0: the default
  // A file of commands that run before typed ones.
  std::string script;
};

// Runs a program with its arguments under commands from standard input; returns its exit code.
// Output of the debugger goes to standard output.
Result<int> debug_program(const DebugOptions& options, const std::vector<std::string>& program);

}  // namespace tputwin::tools

// Programs of users that a tool starts.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// What a command is given behind --: a program with its arguments, or a model, which is what
// `tputwin run` runs.
std::vector<std::string> program_of(const std::vector<std::string>& words);
// Runs a program with its arguments until it ends; its exit code. An error of that id if it cannot
// be started, or ends by a signal.
Result<int> run_program(const std::vector<std::string>& program, ErrorId failure);

}  // namespace tputwin::tools

// Programs of users that a tool starts.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Runs a program with its arguments until it ends; its exit code. An error of that id if it cannot
// be started, or ends by a signal.
Result<int> run_program(const std::vector<std::string>& program, ErrorId failure);

// What to run for the words of a command line: a program with its arguments as they are; a model
// (.bmodel) with options of `tputwin run` by that.
std::vector<std::string> program_or_model(const std::vector<std::string>& words);

}  // namespace tputwin::tools

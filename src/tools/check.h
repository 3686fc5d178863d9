// tputwin check: a program, or a model, whose commands and memory are checked while it runs.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct CheckOptions {
  std::string checks = "all";  // value of TPUTWIN_CHECK
  bool hints = false;          // also print what is suspicious and harmless
  std::string json, sarif, suppress, numbers;
  bool strict = false;  // warnings are errors of the program
};

struct CheckResult {
  int exit_code;    // of the program
  size_t findings;  // findings that are not suppressed and no hints
};

// Returns the program of the words of a command line, as program_of() does. A model of several
// stages runs all of them if the words choose none.
Result<std::vector<std::string>> program_to_check(std::vector<std::string> words);

// Runs a program with its arguments. TPUTWIN_CHECK selects the checks of its devices.
Result<CheckResult> check_program(const CheckOptions& options,
                                  const std::vector<std::string>& program);

}  // namespace tputwin::tools

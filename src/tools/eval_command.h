// The subcommand `tputwin eval`.
#pragma once

#include <CLI/CLI.hpp>

namespace tputwin::tools {

// Its exit code goes to `exit` when it has run.
void add_eval(CLI::App& app, int& exit);

}  // namespace tputwin::tools

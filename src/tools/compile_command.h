// The subcommand `tputwin compile`.
#pragma once

#include <CLI/CLI.hpp>

namespace tputwin::tools {

void add_compile(CLI::App& app, int& exit);

}  // namespace tputwin::tools

// Shared parts of the subcommands of tputwin. add_NAME(app, exit) in NAME_command.cc adds one to
// the command line; its run sets `exit` to its exit code. commands.def lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tools/exit_code.h"

namespace tputwin::tools {

using AddCommand = void(CLI::App& app, int& exit);

// Prints the text, or its error, and returns the exit code.
int print(const Result<std::string>& text);
// As above, for an error in a file that it does not name.
int print(const Result<std::string>& text, const std::string& path);

// Adds --json [FILE] for a report that is printed otherwise. Without FILE, `path` becomes "-". FILE
// must be no model or recording: that would be PROGRAM after a forgotten "--", and would be
// overwritten.
void add_json_file(CLI::App& app, std::string& path, const std::string& what);

// --strict of commands that only read models, and of commands that run them.
inline constexpr const char* kStrictHelp =
    "BM1684, BM1684X: refuse forms of commands that no recording confirms";
inline constexpr const char* kStrictRunHelp =
    "BM1684, BM1684X: refuse forms of commands that no recording confirms, and writes beyond the "
    "memory of a net";
// Sets TPUTWIN_STRICT=forms for this process and those that it starts, as --strict of the latter
// does.
void be_strict();

// Returns the end of a --help: examples, one a line, and the exit codes.
std::string footer(std::string_view examples);

}  // namespace tputwin::tools

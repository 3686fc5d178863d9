// What the subcommands of tputwin share. add_NAME(app, exit) in NAME_command.cc adds one to the
// command line; when it has run, `exit` has its exit code. commands.def lists them.
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
// The same of an error in a file that it does not name.
int print(const Result<std::string>& text, const std::string& path);

// --json [FILE], of a report that is printed otherwise. Without FILE `path` becomes "-"; FILE may
// be no model or recording, which would be PROGRAM with "--" forgotten, and overwritten.
void add_json_file(CLI::App& app, std::string& path, const std::string& what);

// --strict of commands that only read models, and of those that run something.
inline constexpr const char* kStrictHelp =
    "BM1684, BM1684X: refuse forms of commands that no recording confirms";
inline constexpr const char* kStrictRunHelp =
    "BM1684, BM1684X: refuse forms of commands that no recording confirms, and writes beyond the "
    "memory of a net";
// What the latter does, for this process and those that it starts: TPUTWIN_STRICT=forms.
void be_strict();

// The end of a --help: examples, a line each, and the exit codes.
std::string footer(std::string_view examples);

}  // namespace tputwin::tools

// Exit codes of the tools, and the print of errors.
#pragma once

#include <string_view>

#include "base/error.h"

namespace tputwin::tools {

enum ExitCode : int {
  kOk = 0,
  kDiffers = 1,  // a comparison found differences
  // The command line names something that does not exist.
  kUsage = 2,
  kBadFile = 3,  // a file cannot be read or written, or is malformed
  kFailed = 4,   // the program on the simulated chip failed
  // The compiler cannot compile the net to a model.
  kRefused = 5,
  kFound = 6,  // checks found something
};

// Description of an exit code, for docs/commands.md.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};
inline constexpr ExitMeaning kExitMeanings[] = {
    {kOk, "ok"},
    {kDiffers, "a comparison found differences"},
    {kUsage,
     "the command line asks for something that is not there: an unknown option, a shape the "
     "model has no variety for, an input of another size"},
    {kBadFile, "a file cannot be read or written, or is malformed"},
    {kFailed, "the program failed on the simulated chip"},
    {kRefused, "the compiler cannot make a model of the net"},
    {kFound, "checks found something"},
};

// For the end of every --help.
constexpr std::string_view kExitCodes =
    "Exit codes: 0 ok, 1 comparison differs, 2 usage, 3 bad file, 4 execution failed, "
    "5 net not compiled, 6 checks found something.";

ExitCode exit_code(const Error& error);
// Prints "TOOL: error: ..." to stderr.
void print_error(std::string_view tool, const Error& error);
// Prints it by its level, as "TOOL: warning: ..." if it is a warning.
void print_line(std::string_view tool, const Error& error);
// Prints the warnings that this thread collected to stderr, each once.
void print_warnings(std::string_view tool);
// As print_error(); returns the exit code of the error.
ExitCode fail(std::string_view tool, const Error& error);

}  // namespace tputwin::tools

// How subcommands print what they found, and how their help ends.
#include "tools/commands/command.h"

#include <fmt/format.h>

#include <cstdio>

namespace tputwin::tools {

int print(const Result<std::string>& text) {
  if (!text.ok()) return fail("tputwin", text.error());
  std::fputs(text.value().c_str(), stdout);
  return kOk;
}

// As print(), naming the file an error is about.
int print(const Result<std::string>& text, const std::string& path) {
  if (text.ok()) return print(text);
  fmt::print(stderr, "tputwin: {}: error: {}\n", path, text.error().message());
  return exit_code(text.error());
}

std::string footer(std::string_view examples) {
  return fmt::format("Examples:\n{}\n{}", examples, kExitCodes);
}

}  // namespace tputwin::tools

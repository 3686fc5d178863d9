// Output of subcommands, and the end of their help.
#include "tools/commands/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/diagnostics.h"
#include "tools/manual/colour.h"

namespace tputwin::tools {

int print(const Result<std::string>& text) {
  if (!text.ok()) return fail("tputwin", text.error());
  std::fputs(text.value().c_str(), stdout);
  return kOk;
}

// As print(); names the file of an error, unless the error does.
int print(const Result<std::string>& text, const std::string& path) {
  if (text.ok() || text.error().message().find(path) != std::string::npos) return print(text);
  fmt::print(stderr, "tputwin: {}: {} {}\n", path, coloured(stderr, Colour::red, "error:"),
             text.error().message());
  return exit_code(text.error());
}

void add_json_file(CLI::App& app, std::string& path, const std::string& what) {
  const auto is_report = [](const std::string& name) -> std::string {
    for (const char* suffix : {".bmodel", ".tprec", ".caffemodel", ".onnx"})
      if (name.ends_with(suffix)) return name + " is no report to write; put -- before it";
    return {};
  };
  app.add_option_function<std::vector<std::string>>(
         "--json",
         [&path](const std::vector<std::string>& file) {
           path = file.empty() || file[0].empty() ? "-" : file[0];
         },
         fmt::format("write {} as JSON here; without a file, before --, print it in place of text",
                     what))
      ->type_name("FILE")
      ->expected(0, 1)
      ->check(CLI::Validator(is_report, ""));
}

void be_strict() {
  if (!Diagnostics::strict_by_default()) setenv("TPUTWIN_STRICT", "forms", /*overwrite=*/1);
}

std::string footer(std::string_view examples) {
  return fmt::format("Examples:\n{}\n{}", examples, kExitCodes);
}

}  // namespace tputwin::tools

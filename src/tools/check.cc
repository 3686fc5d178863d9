// Starts programs that check themselves (insight/check_process.h).
#include "tools/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/errors/tools.h"
#include "base/file.h"
#include "bmodel/open.h"
#include "insight/checks.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/environment.h"
#include "tools/exit_code.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

// A model that does not run has printed its error.
Result<size_t> count_findings(const std::string& path, const std::vector<std::string>& program,
                              int exit_code) {
  if (!fs::exists(path) && exit_code != kOk && is_our_own(program)) return 0;
  if (!fs::exists(path))
    return Error(errors::cli_check)
        .argument("PROGRAM", program.front())
        .detail(exit_code == 0 ? "it opened no device"
                               : fmt::format("it ended with exit code {} before it opened a device",
                                             exit_code));
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  const auto report = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || !report.contains("findings")) return 0;
  const auto is_mistake = [](const nlohmann::json& finding) {
    return !finding.value("hint", false);
  };
  return static_cast<size_t>(std::ranges::count_if(report["findings"], is_mistake));
}

}  // namespace

Result<std::vector<std::string>> program_to_check(std::vector<std::string> words) {
  TW_ASSIGN_OR_RETURN(program, program_of(words));
  if (!is_our_own(program) || !words.front().ends_with(".bmodel")) return program;
  for (const char* choice : {"--stage", "--shape", "--input", "--image"})
    if (value_of(words, choice)) return program;
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(words.front()));
  if (file.bm168x() == nullptr) return program;
  const StageChoice choice{value_of(words, "--net"), std::nullopt};
  size_t stages = 0;
  for (const auto& net : file.bm168x()->model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) stages += choice.includes(*net, i) ? 1 : 0;
  if (stages > 1) program.push_back("--all-stages");
  return program;
}

Result<CheckResult> check_program(const CheckOptions& options,
                                  const std::vector<std::string>& program) {
  TW_RETURN_IF_ERROR(insight::parse_checks(options.checks).status());
  const std::string names = options.hints ? options.checks + ",hints" : options.checks;
  const std::string temporary =
      (fs::temp_directory_path() / fmt::format("tputwin-check-{}.json", getpid())).string();
  const bool printed = options.json == "-";
  const std::string json = options.json.empty() || printed ? temporary : options.json;
  std::error_code ignored;
  // so that a file that exists afterwards is from the program
  fs::remove(json, ignored);
  const Variable checks("TPUTWIN_CHECK", names), to("TPUTWIN_CHECK_JSON", json),
      sarif("TPUTWIN_CHECK_SARIF", options.sarif),
      suppress("TPUTWIN_CHECK_SUPPRESS", options.suppress),
      numbers("TPUTWIN_CHECK_NUMBERS", options.numbers);
  auto code = [&] {
    const OutputAside aside(printed);
    return run_program(program, errors::cli_check);
  }();
  auto findings = code.ok() ? count_findings(json, program, *code) : Result<size_t>(code.error());
  if (auto report = read_bytes(json); printed && report.ok())
    std::fwrite(report->data(), 1, report->size(), stdout);
  fs::remove(temporary, ignored);
  if (!findings.ok()) return findings.error();
  return CheckResult{*code, *findings};
}

}  // namespace tputwin::tools

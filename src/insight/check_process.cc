// One report for the process, and one checker for each device.
#include "insight/check_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "base/variables.h"
#include "insight/checker.h"

namespace tputwin::insight {
namespace {

struct Process {
  Checks checks;
  Report report;
  // A child of fork() inherits its parent's findings, but does not count them as its own.
  pid_t id = getpid();
};

void print_count(int exit_code, void*);

Process* start() {
  const std::string wanted = std::string(value_of(EnvVariable::check));
  if (wanted.empty() || wanted == "0") return nullptr;
  // Every device of such a process is refused (base/wrong_variables.h).
  auto checks = parse_checks(wanted == "1" ? "all" : wanted);
  if (!checks.ok()) {
    log(checks.error(), Level::error);
    return nullptr;
  }
  ReportOptions options{.json = std::string(value_of(EnvVariable::check_json)),
                        .sarif = std::string(value_of(EnvVariable::check_sarif)),
                        .suppressions = {}};
  if (const std::string path = std::string(value_of(EnvVariable::check_suppress)); !path.empty()) {
    auto lines = read_suppressions(path);
    if (lines.ok())
      options.suppressions = std::move(lines.value());
    else
      log(lines.error(), Level::error);
  }
  auto* process = new Process{*checks, Report(std::move(options))};  // lives until the process ends
  if (Status status = process->report.write(); !status.ok()) log(status.error(), Level::error);
#ifdef __GLIBC__
  on_exit(print_count, nullptr);
#else
  std::atexit([] { print_count(0, nullptr); });  // the exit code is not known
#endif
  return process;
}

Process* of_process() {
  static Process* const process = start();
  return process;
}

// A run that failed may have left out the commands with the findings.
void print_count(int exit_code, void*) {
  const Process* process = of_process();
  if (process->id != getpid()) return;
  const std::vector<Finding> findings = process->report.findings();
  if (findings.empty() && !process->report.has_commands()) {
    fmt::print(stderr, "tputwin check: no command ran, so none was checked\n");
    return;
  }
  const auto hints = static_cast<size_t>(std::ranges::count_if(findings, is_hint));
  const auto counted = [](size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count == 0 ? "no" : fmt::format("{}", count), word,
                       count == 1 ? "" : "s");
  };
  const std::string text = fmt::format("{}{}", counted(findings.size() - hints, "finding"),
                                       hints == 0 ? "" : ", " + counted(hints, "hint"));
  const bool is_complete = exit_code == 0 || !findings.empty();
  fmt::print(stderr, "tputwin check: {}{}\n",
             is_complete
                 ? ""
                 : fmt::format("the program failed with exit code {}; until then ", exit_code),
             text);
}

}  // namespace

bool is_checking() { return of_process() != nullptr; }

const Report* report_of_process() { return is_checking() ? &of_process()->report : nullptr; }

std::unique_ptr<Observer> check_device(Device& device) {
  Process* const process = of_process();
  if (process == nullptr) return nullptr;
  return std::make_unique<Checker>(device, process->checks, process->report);
}

}  // namespace tputwin::insight

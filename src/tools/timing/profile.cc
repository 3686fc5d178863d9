// Runs programs that profile themselves (insight/profile/profile_process.h).
#include "tools/timing/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/variables.h"
#include "insight/profile/page.h"
#include "insight/profile/summary.h"
#include "insight/profile/trace.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/simulate.h"
#include "tools/environment.h"
#include "tools/program.h"
#include "tools/timing/timing.h"

namespace tputwin::tools {

namespace fs = std::filesystem;

namespace {

std::string temporary(std::string_view extension) {
  return (fs::temp_directory_path() / fmt::format("tputwin-profile-{}{}", getpid(), extension))
      .string();
}

// The files of a profile; empty: none.
struct Files {
  std::string html, trace, json;
};

Status write_text(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Writes the profile of a program that was killed before it could. It has no local memory.
Status write_for(const std::string& title, const std::string& recording, const Files& files) {
  const Chip* const chip = find_chip(insight::chip_of_command_recording(recording));
  if (chip == nullptr) return {};
  TW_ASSIGN_OR_RETURN(timeline, insight::read_command_recording(recording, *chip));
  insight::simulate(timeline);
  const insight::ProfiledRun run{title, timeline, {}};
  TW_RETURN_IF_ERROR(write_text(files.html, insight::to_page(run)));
  TW_RETURN_IF_ERROR(write_text(files.trace, insight::to_trace(run)));
  if (files.json.empty()) fmt::print(stderr, "{}", insight::to_summary(run));
  return write_text(files.json, insight::to_summary_json(run));
}

}  // namespace

Result<Profiling> profile_program(const ProfileOptions& options,
                                  const std::vector<std::string>& program) {
  const auto absolute = [](const std::string& path) {
    // the program may change its directory
    return path.empty() ? path : fs::absolute(path).string();
  };
  const bool printed = options.json == "-";
  const std::string html = absolute(options.html), trace = absolute(options.trace),
                    json = printed ? temporary(".json") : absolute(options.json),
                    recording = temporary(".jsonl"), name = fs::path(program.front()).filename();
  std::vector<Awaited> files;
  for (const std::string& path : {html, trace, json})
    if (!path.empty()) files.emplace_back(path);
  const Variable on("TPUTWIN_PROFILE", "1"), page("TPUTWIN_PROFILE_HTML", html),
      events("TPUTWIN_PROFILE_TRACE", trace), summary("TPUTWIN_PROFILE_JSON", json),
      title("TPUTWIN_PROFILE_TITLE", name);
  TW_ASSIGN_OR_RETURN(command, program_of(program));
  // A recording keeps the launches of a program that is killed.
  std::optional<Variable> records;
  if (!is_our_own(command) && std::string(tputwin::value_of(EnvVariable::timing)).empty())
    records.emplace("TPUTWIN_TIMING", recording);
  const auto ended = [&] {
    const OutputAside aside(printed);
    return run_to_end(command, errors::cli_check);
  }();
  const std::string commands = take_recording(recording);
  if (ended.ok() && ended->signal != 0 && !std::ranges::all_of(files, &Awaited::is_there))
    TW_RETURN_IF_ERROR(write_for(name, commands, {html, trace, json}));
  const bool ran = std::ranges::all_of(files, &Awaited::is_there);
  if (auto report = read_bytes(json); printed && ran && report.ok()) {
    std::fwrite(report->data(), 1, report->size(), stdout);
    std::error_code ignored;
    fs::remove(json, ignored);
  }
  if (!ended.ok()) return ended.error();
  if (ran || (ended->code != 0 && is_our_own(command))) return Profiling{ended->code, ran};
  return Error(errors::cli_check)
      .argument("PROGRAM", program.front())
      .detail(ended->code == 0 ? "it sent no command to a device"
                               : describe(*ended) + " before it could write its profile");
}

}  // namespace tputwin::tools

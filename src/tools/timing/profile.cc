// Runs programs that profile themselves (insight/profile/profile_process.h).
#include "tools/timing/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "tools/environment.h"
#include "tools/program.h"

namespace tputwin::tools {

namespace fs = std::filesystem;

namespace {
std::string temporary() {
  return (fs::temp_directory_path() / fmt::format("tputwin-profile-{}.json", getpid())).string();
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
                    json = printed ? temporary() : absolute(options.json);
  std::vector<Awaited> files;
  for (const std::string& path : {html, trace, json})
    if (!path.empty()) files.emplace_back(path);
  const Variable on("TPUTWIN_PROFILE", "1"), page("TPUTWIN_PROFILE_HTML", html),
      events("TPUTWIN_PROFILE_TRACE", trace), summary("TPUTWIN_PROFILE_JSON", json),
      title("TPUTWIN_PROFILE_TITLE", fs::path(program.front()).filename().string());
  TW_ASSIGN_OR_RETURN(command, program_of(program));
  const auto ended = [&] {
    const OutputAside aside(printed);
    return run_to_end(command, errors::cli_check);
  }();
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

// Starts programs that profile themselves (insight/profile/process.h).
#include "tools/timing/profile.h"

#include <filesystem>

#include "base/errors/tools.h"
#include "tools/environment.h"
#include "tools/program.h"

namespace tputwin::tools {

namespace fs = std::filesystem;

Result<int> profile_program(const ProfileOptions& options,
                            const std::vector<std::string>& program) {
  const auto absolute = [](const std::string& path) {
    return path.empty() ? path : fs::absolute(path).string();  // the program may go elsewhere
  };
  const std::string html = absolute(options.html), trace = absolute(options.trace);
  std::vector<Awaited> files;
  for (const std::string& path : {html, trace})
    if (!path.empty()) files.emplace_back(path);
  const Variable on("TPUTWIN_PROFILE", "1"), page("TPUTWIN_PROFILE_HTML", html),
      events("TPUTWIN_PROFILE_TRACE", trace),
      title("TPUTWIN_PROFILE_TITLE", fs::path(program.front()).filename().string());
  const std::vector<std::string> command = program_of(program);
  TW_ASSIGN_OR_RETURN(code, run_program(command, errors::cli_check));
  for (const Awaited& file : files)
    if (!file.is_there())
      return Error(errors::cli_check)
          .argument("PROGRAM", program.front())
          .detail("it sent no command to a device");
  return code;
}

}  // namespace tputwin::tools

// Runs programs that record themselves (insight/recording, sdk/record).
#include "tools/record/record.h"

#include <filesystem>

#include "base/errors/tools.h"
#include "tools/environment.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

// The environment variable of a recording, and the file that exists when it is written.
struct Target {
  const char* variable;
  fs::path value, file;
  const char* missing;
};

Target target_of(const std::string& output) {
  const fs::path path = fs::absolute(output);
  if (output.ends_with(kRunSuffix))
    return {"TPUTWIN_RECORD_RUN", path, path, "it opened no device"};
  const bool is_folder = output.ends_with('/') || fs::is_directory(output);
  if (is_folder)
    return {"TPUTWIN_RECORD", path / "", path / "compilation.bmodel", "no launch was recorded"};
  return {"TPUTWIN_RECORD", path, path, "no launch was recorded"};
}

}  // namespace

Result<Recording> record_program(const std::string& output,
                                 const std::vector<std::string>& program) {
  const Target target = target_of(output);
  const Awaited file(target.file);
  const Variable to(target.variable, target.value.string());
  TW_ASSIGN_OR_RETURN(end, run_to_end(program, errors::cli_record));
  if (file.is_there()) return Recording{end.code, target.file.string()};
  if (end.code != 0 && is_our_own(program)) return Recording{end.code, ""};
  return Error(errors::cli_record)
      .argument("PROGRAM", program.front())
      .detail(end.signal != 0 ? describe(end) : target.missing);
}

}  // namespace tputwin::tools

// Starts programs that record themselves (sdk/record).
#include "tools/record.h"

#include <cstdlib>
#include <filesystem>

#include "base/errors/tools.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

Error not_recorded(const std::vector<std::string>& program, std::string why) {
  return Error(errors::cli_record).argument("PROGRAM", program.front()).detail(std::move(why));
}

}  // namespace

Result<Recording> record_program(const std::string& output,
                                 const std::vector<std::string>& program) {
  const bool is_folder = output.ends_with('/') || fs::is_directory(output);
  const fs::path path = fs::absolute(output);
  const fs::path model = is_folder ? path / "compilation.bmodel" : path;
  std::error_code ignored;
  fs::remove(model, ignored);  // what is there afterwards is the program's
  setenv("TPUTWIN_RECORD", (path.string() + (is_folder ? "/" : "")).c_str(), /*overwrite=*/1);
  auto code = run_program(program, errors::cli_record);
  unsetenv("TPUTWIN_RECORD");
  if (!code.ok()) return code.error();
  if (!fs::exists(model)) return not_recorded(program, "no launch was recorded");
  return Recording{*code, model.string()};
}

}  // namespace tputwin::tools

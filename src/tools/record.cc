// Starts programs that record themselves (sdk/record).
#include "tools/record.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/errors/tools.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

Error not_recorded(const std::vector<std::string>& program, std::string why) {
  return Error(errors::cli_record).argument("PROGRAM", program.front()).detail(std::move(why));
}

Result<int> exit_code_of(const std::vector<std::string>& program) {
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) return not_recorded(program, std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return not_recorded(program, std::strerror(errno));
  if (WIFSIGNALED(status)) return not_recorded(program, fmt::format("signal {}", WTERMSIG(status)));
  return WEXITSTATUS(status);
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
  auto code = exit_code_of(program);
  unsetenv("TPUTWIN_RECORD");
  if (!code.ok()) return code.error();
  if (!fs::exists(model)) return not_recorded(program, "no launch was recorded");
  return Recording{*code, model.string()};
}

}  // namespace tputwin::tools

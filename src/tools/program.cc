// Starts programs and waits for them.
#include "tools/program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tputwin::tools {

Result<int> run_program(const std::vector<std::string>& program, ErrorId failure) {
  const auto failed = [&](std::string why) {
    return Error(failure).argument("PROGRAM", program.front()).detail(std::move(why));
  };
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) return failed(std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return failed(std::strerror(errno));
  if (WIFSIGNALED(status)) return failed(fmt::format("signal {}", WTERMSIG(status)));
  return WEXITSTATUS(status);
}

std::vector<std::string> program_or_model(const std::vector<std::string>& words) {
  if (!words.front().ends_with(".bmodel")) return words;
  std::vector<std::string> program{"/proc/self/exe", "run"};
  program.insert(program.end(), words.begin(), words.end());
  return program;
}

}  // namespace tputwin::tools

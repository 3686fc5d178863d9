// Starts programs and waits for them.
#include "tools/program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tputwin::tools {

std::vector<std::string> program_of(const std::vector<std::string>& words) {
  const bool is_model = words.front().ends_with(".bmodel");
  if (!is_model && !words.front().ends_with(".tprec")) return words;
  std::vector<std::string> program{"/proc/self/exe", is_model ? "run" : "replay"};
  program.insert(program.end(), words.begin(), words.end());
  return program;
}

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

std::optional<struct stat> Awaited::now() const {
  struct stat found = {};
  return stat(path_.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

bool Awaited::is_there() const {
  const auto after = now();
  if (!after || !before_ || !S_ISREG(after->st_mode)) return after.has_value();
  // another file in its place (AtomicFile), or the same one written to
  return after->st_ino != before_->st_ino || after->st_mtim.tv_sec != before_->st_mtim.tv_sec ||
         after->st_mtim.tv_nsec != before_->st_mtim.tv_nsec;
}

}  // namespace tputwin::tools

// Start of programs, and waiting for their end.
#include "tools/program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/errors/tools.h"
#include "bmodel/bm168x/dynamic.h"
#include "bmodel/file_kind.h"
#include "bmodel/open.h"
#include "tools/bm168x/stage_programs.h"

namespace tputwin::tools {

std::optional<std::string> value_of(const std::vector<std::string>& words, std::string_view name) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == name && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      return word.substr(name.size() + 1);
  }
  return std::nullopt;
}

Status check_words(const std::vector<std::string>& words, std::span<const std::string_view> options,
                   std::string_view takes) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool known = std::ranges::find(options, name) != options.end();
    if (known && (name.size() < word.size() || ++i < words.size())) continue;
    return Error(errors::cli_usage)
        .in(words.front())
        .argument(word, known ? "without a value" : "not known")
        .detail(fmt::format("after {} may stand {}; options of the command stand before it, and "
                            "--help lists them",
                            words.front(), takes));
  }
  return {};
}

namespace {

constexpr const char* kSelf = "/proc/self/exe";

// Returns ok if one of the stages that the words choose is static.
Status check_runs(const std::vector<std::string>& words) {
  using namespace bmodel::bm168x;
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(words.front()));
  if (file.bm168x() == nullptr) return {};
  const StageChoice choice{value_of(words, "--net"), value_of(words, "--stage")};
  TW_RETURN_IF_ERROR(check_choice(*file.bm168x(), choice));
  Status first;
  for (const auto& one : file.bm168x()->model.net)
    for (size_t i = 0; i < one->parameter.size(); ++i) {
      if (!choice.includes(*one, i)) continue;
      Status status = check_static(*one->parameter[i], stage_name(*one, i));
      if (status.ok()) return {};
      if (first.ok()) first = std::move(status);
    }
  return first;
}

}  // namespace

Result<std::vector<std::string>> program_of(const std::vector<std::string>& words) {
  const bool is_model = words.front().ends_with(".bmodel");
  if (!is_model && !words.front().ends_with(".tprec")) return words;
  if (is_model) TW_RETURN_IF_ERROR(check_runs(words));
  std::vector<std::string> program{kSelf, is_model ? "run" : "replay"};
  program.insert(program.end(), words.begin(), words.end());
  return program;
}

bool is_our_own(const std::vector<std::string>& program) { return program.front() == kSelf; }

std::string describe(const ProgramEnd& end) {
  return end.signal != 0 ? fmt::format("signal {}", end.signal)
                         : fmt::format("exit code {}", end.code);
}

Result<ProgramEnd> run_to_end(const std::vector<std::string>& program, ErrorId failure) {
  const auto failed = [&](std::string why) {
    return Error(failure).argument("PROGRAM", program.front()).detail(std::move(why));
  };
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) {
    const std::string kind = bmodel::file_kind_of(program.front(), bmodel::Expected::program);
    return failed(kind.empty() ? std::strerror(error) : kind);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return failed(std::strerror(errno));
  constexpr int kSignalled = 128;  // as shells add it
  if (!WIFSIGNALED(status)) return ProgramEnd{.code = WEXITSTATUS(status)};
  return ProgramEnd{.code = kSignalled + WTERMSIG(status), .signal = WTERMSIG(status)};
}

Result<int> run_program(const std::vector<std::string>& program, ErrorId failure) {
  TW_ASSIGN_OR_RETURN(end, run_to_end(program, failure));
  if (end.signal == 0) return end.code;
  return Error(failure).argument("PROGRAM", program.front()).detail(describe(end));
}

std::optional<struct stat> Awaited::now() const {
  struct stat found = {};
  return stat(path_.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

bool Awaited::is_there() const {
  const auto after = now();
  if (!after || !before_ || !S_ISREG(after->st_mode)) return after.has_value();
  // another file with this name (AtomicFile), or a write to the same file
  return after->st_ino != before_->st_ino || after->st_mtim.tv_sec != before_->st_mtim.tv_sec ||
         after->st_mtim.tv_nsec != before_->st_mtim.tv_nsec;
}

}  // namespace tputwin::tools

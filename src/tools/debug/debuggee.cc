// Debuggee: starts a program and connects to its device.
#include "tools/debug/debuggee.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/errors/tools.h"

namespace tputwin::tools {
namespace {

Error failed(const DebuggeeOptions& options, std::string why) {
  return Error(errors::cli_debug)
      .argument("PROGRAM", options.program.front())
      .detail(std::move(why));
}

// Returns our environment with the path of the socket.
std::vector<std::string> environment_with(const std::string& path, uint64_t bytes) {
  std::vector<std::string> words;
  for (char** at = environ; *at != nullptr; ++at)
    if (!std::string_view(*at).starts_with("TPUTWIN_DEBUG")) words.emplace_back(*at);
  words.push_back("TPUTWIN_DEBUG=" + path);
  if (bytes != 0) words.push_back(fmt::format("TPUTWIN_DEBUG_BYTES={}", bytes));
  return words;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<std::unique_ptr<Debuggee>> Debuggee::start(const DebuggeeOptions& options) {
  std::unique_ptr<Debuggee> made(new Debuggee);
  std::string folder = (std::filesystem::temp_directory_path() / "tputwin-debug-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return failed(options, std::strerror(errno));
  made->folder_ = folder;
  made->path_ = folder + "/socket";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (made->path_.size() >= sizeof address.sun_path) return failed(options, made->path_);
  std::memcpy(address.sun_path, made->path_.c_str(), made->path_.size() + 1);
  made->listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made->listening_ < 0 ||
      bind(made->listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(made->listening_, 1) != 0)
    return failed(options, std::strerror(errno));
  TW_RETURN_IF_ERROR(made->spawn(options));
  made->accept_process();
  return made;
}

// The program gets a process group of its own: keys that interrupt are for the debugger.
Status Debuggee::spawn(const DebuggeeOptions& options) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (options.output >= 0) {
    posix_spawn_file_actions_adddup2(&files, options.output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, options.output, STDERR_FILENO);
  }
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const std::vector<std::string> environment = environment_with(path_, options.bytes);
  const int error = posix_spawnp(&process_, options.program.front().c_str(), &files, &attributes,
                                 pointers(options.program).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    process_ = 0;
    return failed(options, std::strerror(error));
  }
  return {};
}

// Waits until the program's first device connects, or the program ends without one. The socket is
// closed then, so that a second process cannot connect.
void Debuggee::accept_process() {
  std::array<int, 2> ended{-1, -1};
  if (pipe2(ended.data(), O_CLOEXEC) != 0) return;
  std::thread waiter([process = process_, end = ended[1]] {  // may outlive this call
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    close(end);
  });
  pollfd events[] = {{listening_, POLLIN, 0}, {ended[0], POLLIN, 0}};
  while (poll(events, 2, -1) < 0 && errno == EINTR) {
  }
  if ((events[0].revents & POLLIN) != 0)
    descriptor_ = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  close(listening_);
  close(ended[0]);
  listening_ = -1;
  waiter.detach();
  if (descriptor_ < 0) wait();
}

Debuggee::~Debuggee() {
  if (process_ != 0 && !exit_code_) kill(process_, SIGKILL);
  if (listening_ >= 0) close(listening_);
  let_go();
  wait();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void Debuggee::send(const Json& message) {
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (size_t sent = 0; descriptor_ >= 0 && sent < line.size();) {
    const ssize_t bytes = ::send(descriptor_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    sent += static_cast<size_t>(bytes);
  }
}

std::optional<Debuggee::Json> Debuggee::receive() {
  while (descriptor_ >= 0) {
    if (const size_t end = read_.find('\n'); end != read_.npos) {
      Json message = Json::parse(read_.substr(0, end), nullptr, /*allow_exceptions=*/false);
      read_.erase(0, end + 1);
      return message;
    }
    char buffer[65536];
    const ssize_t bytes = read(descriptor_, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) let_go();
    if (bytes > 0) read_.append(buffer, static_cast<size_t>(bytes));
  }
  return {};
}

std::optional<Debuggee::Json> Debuggee::ask(const Json& question) {
  send(question);
  return receive();
}

void Debuggee::let_go() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int Debuggee::wait() {
  if (exit_code_ || process_ == 0) return exit_code_.value_or(0);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0)
    if (errno != EINTR) break;
  exit_code_ = code_of(status);
  return *exit_code_;
}

}  // namespace tputwin::tools

// Remote: the side of the debugged process of the socket.
#include "insight/debug/remote.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/checked_json.h"
#include "insight/debug/console.h"
#include "insight/debug/questions.h"

namespace tputwin::debug {
namespace {

using Json = CheckedJson;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string_view to_string(Stop::Reason reason) {
  constexpr std::string_view kNames[] = {"step",  "breakpoint", "watchpoint", "pause",
                                         "begin", "end",        "refused"};
  return kNames[static_cast<size_t>(reason)];
}

}  // namespace

std::unique_ptr<Remote> Remote::connect(const std::string& socket_path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (socket_path.size() >= sizeof address.sun_path) return nullptr;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return nullptr;
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(descriptor);
    return nullptr;
  }
  return std::make_unique<Remote>(descriptor);
}

Remote::~Remote() { close(descriptor_); }

void Remote::send(const std::string& message) {
  const std::string line = message + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t bytes = ::send(descriptor_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (bytes <= 0) {
      is_gone_ = true;
      return;
    }
    sent += static_cast<size_t>(bytes);
  }
}

std::optional<std::string> Remote::receive() {
  while (true) {
    if (const size_t end = read_.find('\n'); end != read_.npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t bytes = ::read(descriptor_, buffer, sizeof buffer);
    if (bytes <= 0) {
      is_gone_ = true;
      return {};
    }
    read_.append(buffer, static_cast<size_t>(bytes));
  }
}

bool Remote::wants_pause() {
  pollfd waiting{descriptor_, POLLIN, 0};
  if (is_gone_ || (read_.empty() && poll(&waiting, 1, 0) <= 0)) return false;
  return receive().has_value();
}

// If the connection is lost, the program continues by itself.
void Remote::stopped(Debugger& debugger, const Stop& stop) {
  if (is_gone_) {
    debugger.resume({.unit = Motion::Unit::all});
    return;
  }
  Console console(debugger, has_colour_);
  send(text_of({{"stopped", to_string(stop.reason)}, {"text", console.describe(stop)}}));
  while (const auto line = receive()) {
    const Json request = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (!request.is_object() || request.contains("pause")) continue;
    if (request.contains("get")) {
      send(text_of(answer(console, debugger, request)));
      continue;
    }
    const auto typed = request.find("line");
    const bool is_text = typed != request.end() && typed->is_string();
    const Console::Answer answer = console.run(is_text ? typed->get<std::string>() : "");
    Json reply{{"text", answer.text}};
    if (answer.stop) reply["stopped"] = to_string(answer.stop->reason);
    if (answer.runs) reply["running"] = true;
    if (answer.picture)
      reply["picture"] = {{"file", answer.file},
                          {"width", answer.picture->width},
                          {"height", answer.picture->height},
                          {"rgb", answer.picture->rgb}};
    send(text_of(reply));
    if (answer.runs) return;
  }
  while (debugger.now() < debugger.newest()) debugger.resume({.unit = Motion::Unit::all});
}

}  // namespace tputwin::debug

// Waits for an editor at a port of this host.
#include "tools/debug/editor_socket.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors/tools.h"

namespace tputwin::tools {

Result<int> connected_editor(int port) {
  const auto failed = [&] {
    return Error(errors::cli_debug)
        .argument("--port", fmt::format("{}", port))
        .detail(std::strerror(errno));
  };
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listening, 1) != 0) {
    const Error error = failed();
    close(listening);
    return error;
  }
  fmt::print(stderr, "tputwin debug: waiting for an editor at port {}\n", port);
  const int editor = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  close(listening);
  if (editor < 0) return failed();
  return editor;
}

}  // namespace tputwin::tools

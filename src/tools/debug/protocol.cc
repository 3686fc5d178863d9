// Headers and their messages.
#include "tools/debug/protocol.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tputwin::tools {

bool ProtocolStream::fill() {
  char buffer[65536];
  ssize_t bytes = 0;
  while ((bytes = read(input_, buffer, sizeof buffer)) < 0 && errno == EINTR) {
  }
  if (bytes <= 0) return false;
  read_.append(buffer, static_cast<size_t>(bytes));
  return true;
}

std::optional<CheckedJson> ProtocolStream::next() {
  constexpr std::string_view kLength = "Content-Length:", kEnd = "\r\n\r\n";
  const size_t end = read_.find(kEnd);
  if (end == read_.npos) return {};
  const size_t length = read_.substr(0, end).find(kLength);
  const size_t begin = end + kEnd.size();
  const uint64_t bytes = length == read_.npos
                             ? 0
                             : std::strtoull(read_.c_str() + length + kLength.size(), nullptr, 10);
  if (read_.size() - begin < bytes) return {};
  CheckedJson message =
      CheckedJson::parse(read_.substr(begin, bytes), nullptr, /*allow_exceptions=*/false);
  read_.erase(0, begin + bytes);
  return message;
}

void ProtocolStream::send(CheckedJson message) {
  message["seq"] = ++sequence_;
  const std::string text = message.dump(-1, ' ', false, CheckedJson::error_handler_t::replace);
  const std::string whole = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  for (size_t sent = 0; sent < whole.size();) {
    const ssize_t bytes = write(output_, whole.data() + sent, whole.size() - sent);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return;
    sent += static_cast<size_t>(bytes);
  }
}

}  // namespace tputwin::tools

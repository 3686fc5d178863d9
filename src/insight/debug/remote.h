// Remote: the front of a process whose debugger is another one, `tputwin debug`, behind a socket.
#pragma once

#include <memory>
#include <string>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

// Messages are JSON, one to a line. To the process: {"line": a command of the console} or
// {"get": a question of an editor, ...} and, while it runs, {"pause": true}. From it: {"hello":
// chip},
// {"stopped": reason, "text": what the console shows}, and an answer to each line or question with
// what the console shows ("text"), "running" if the device goes on, or what the editor asked for.
class Remote final : public Front {
 public:
  // The front of this process; nullptr if nobody listens there.
  static std::unique_ptr<Remote> connect(const std::string& socket);
  explicit Remote(int descriptor) : descriptor_(descriptor) {}
  ~Remote() override;

  void stopped(Debugger& debugger, const Stop& stop) override;
  bool wants_pause() override;

 private:
  void send(const std::string& message);
  std::optional<std::string> receive();

  int descriptor_;
  std::string read_;  // that is not yet a line
  bool is_gone_ = false;
  bool has_colour_ = false;  // of the console
};

}  // namespace tputwin::debug

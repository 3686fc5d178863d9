// Remote: the front of a process that another process, `tputwin debug`, controls by a socket.
#pragma once

#include <memory>
#include <string>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

// Messages are JSON, one per line. The process receives {"line": a console command} or {"get": a
// question of an editor, ...} and, while it runs, {"pause": true}. It sends {"hello": chip} and
// {"stopped": reason, "text": console output}. It answers each line or question with the console
// output ("text"), with "running" if the device continues, or with the answer for the editor.
class Remote final : public Front {
 public:
  // Returns the front of this process; nullptr if no debugger listens at `socket`.
  static std::unique_ptr<Remote> connect(const std::string& socket);
  explicit Remote(int descriptor) : descriptor_(descriptor) {}
  ~Remote() override;

  void stopped(Debugger& debugger, const Stop& stop) override;
  bool wants_pause() override;

 private:
  void send(const std::string& message);
  std::optional<std::string> receive();

  int descriptor_;
  std::string read_;  // received bytes that are not yet a line
  bool is_gone_ = false;
  bool has_colour_ = false;  // setting of the console
};

}  // namespace tputwin::debug

// Debuggee: a host program that stops where its debugger requests it (insight/debug/remote.h).
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "base/error.h"

namespace tputwin::tools {

struct DebuggeeOptions {
  std::vector<std::string> program;  // with its arguments
  uint64_t bytes = 0;                // memory for going back; 0: the default
  // A descriptor for the program's output; -1: ours.
  int output = -1;
};

class Debuggee {
 public:
  using Json = CheckedJson;

  // Starts the program and waits until it opens a device, or ends.
  static Result<std::unique_ptr<Debuggee>> start(const DebuggeeOptions& options);
  // Ends the program if it still runs.
  ~Debuggee();
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  // Returns true if the program has opened a device, stopped or running.
  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void send(const Json& message);
  // Returns the next message; none if the program has ended.
  std::optional<Json> receive();
  // Returns true if receive() would not wait.
  bool has_message() const { return read_.find('\n') != read_.npos; }
  std::optional<Json> ask(const Json& question);
  // Lets the program run without the debugger.
  void let_go();
  // Waits for its end. Returns its exit code, or 128 plus the signal that ended it.
  int wait();

 private:
  Debuggee() = default;
  Status spawn(const DebuggeeOptions& options);
  void accept_process();

  std::string folder_, path_;
  int listening_ = -1, descriptor_ = -1;
  pid_t process_ = 0;
  std::optional<int> exit_code_;
  std::string read_;  // without the end of its line
};

}  // namespace tputwin::tools

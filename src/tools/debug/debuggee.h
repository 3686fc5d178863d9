// Debuggee: a host program that stands where its debugger says (insight/debug/remote.h).
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
  uint64_t bytes = 0;                // for going back; 0: as many as usual
  int output = -1;                   // a descriptor for what the program prints; -1: ours
};

class Debuggee {
 public:
  using Json = CheckedJson;

  // Starts the program and waits until it opens a device, or ends.
  static Result<std::unique_ptr<Debuggee>> start(const DebuggeeOptions& options);
  // Ends the program if it is still there.
  ~Debuggee();
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  // Has opened a device, and stands or runs.
  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void send(const Json& message);
  // The next message; none when the program is over.
  std::optional<Json> receive();
  // Whether one is there without waiting.
  bool has_message() const { return read_.find('\n') != read_.npos; }
  std::optional<Json> ask(const Json& question);
  // Leaves the program to itself.
  void let_go();
  // Waits for its end: its exit code, or 128 and the signal that ended it.
  int wait();

 private:
  Debuggee() = default;
  Status spawn(const DebuggeeOptions& options);
  void accept_process();

  std::string folder_, path_;
  int listening_ = -1, descriptor_ = -1;
  pid_t process_ = 0;
  std::optional<int> exit_code_;
  std::string read_;  // that is not yet a line
};

}  // namespace tputwin::tools

// Recorder: keeps what a device is given and does in a file. TPUTWIN_RECORD_RUN=FILE has one for
// every device of a process: FILE, then FILE with -2, -3, ... before its extension.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "insight/origins.h"
#include "insight/recording/container.h"
#include "insight/recording/recording.h"
#include "insight/recording/touched.h"

namespace tputwin::insight::recording {

bool is_asked_for();
std::unique_ptr<Observer> record_device(Device& device);

// Beside the device it has a second one, which holds what a replay would: bytes that differ where
// a command is about to look came from outside, and are recorded. So nobody need say what he
// wrote.
class Recorder : public Observer {
 public:
  // A recorder of a device that nobody used yet. Errors of writing are lines, and end it.
  static Result<std::unique_ptr<Recorder>> create(Device& device, const std::string& path);
  ~Recorder() override;

  void on_issue(const CallSite& site) override;
  void before_instruction(const Instruction&, const Footprint& touched) override;
  void on_instruction(const Instruction&, const Footprint& touched, const Cost&) override;
  void on_event(const DeviceEvent& event) override;
  // The end of the file; nothing is recorded any more.
  void finish();

 private:
  Recorder(Device& device, std::unique_ptr<Device> replayed, std::unique_ptr<BlockFile> file);

  void take_foreign(const ByteRange& range);
  uint32_t stack_number(StackId stack, std::string_view call);
  void flush(size_t unless_more_than);
  void keep(Status status);

  Device& device_;
  const std::unique_ptr<Device> replayed_;
  const Memory memory_, expected_;
  std::unique_ptr<BlockFile> file_;  // none: it has ended
  Sink sink_;
  TouchedPages touched_;
  std::map<std::pair<StackId, std::string>, uint32_t> stacks_;
  std::vector<ByteRange> announced_;  // what the host said that it writes
  Origin origin_;                     // of the launch that runs
  CallSite site_;                     // of the next instruction
  StackId stack_ = 0;
};

}  // namespace tputwin::insight::recording

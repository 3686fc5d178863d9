// Recorder: writes the inputs and commands of a device to a file. TPUTWIN_RECORD_RUN=FILE records
// every device of a process: to FILE, then to FILE with -2, -3, ... before its extension.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "insight/launch_layers.h"
#include "insight/origins.h"
#include "insight/recording/container.h"
#include "insight/recording/recording.h"
#include "insight/recording/touched.h"

namespace tputwin::insight::recording {

bool is_asked_for();
std::unique_ptr<Observer> record_device(Device& device);

// It keeps a second device, in the state that a replay would have. Before a command reads bytes,
// they are compared with those of the second device. Different bytes came from outside and are
// recorded, so the host need not announce its writes.
class Recorder : public Observer {
 public:
  // Creates a recorder. The device must be unused. Errors of writing are logged, and end the
  // recording.
  static Result<std::unique_ptr<Recorder>> create(Device& device, const std::string& path);
  ~Recorder() override;

  void on_issue(const CallSite& site) override;
  void before_instruction(const Instruction&, const Footprint& touched) override;
  void on_instruction(const Instruction&, const Footprint& touched, const Cost&) override;
  void on_event(const DeviceEvent& event) override;
  // Ends the file. Nothing is recorded afterwards.
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
  std::unique_ptr<BlockFile> file_;  // nullptr: the recording has ended
  Sink sink_;
  TouchedPages touched_;
  std::map<std::pair<StackId, std::string>, uint32_t> stacks_;
  std::vector<ByteRange> announced_;  // ranges that the host announced
  Origin origin_;                     // of the current launch
  LaunchLayers layers_;               // of the current launch
  CallSite site_;                     // of the next instruction
  StackId stack_ = 0;
};

}  // namespace tputwin::insight::recording

// Records of a device's activity: commands with their operands and bytes, and the events between
// them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "insight/timing/timeline_recorder.h"
#include "machine/device.h"

namespace tputwin::python {

struct OperandRecord {
  std::string name, access, space, dtype;
  uint64_t address = 0;
  std::vector<uint64_t> shape, strides;  // strides in bytes
  // Elements before the command and after it; empty unless values were requested.
  std::vector<double> before = {}, after = {};
};

struct RangeRecord {
  bool written = false;
  std::string space;
  uint32_t lane = 0;
  uint64_t begin = 0, end = 0;
};

struct EventRecord {
  std::string kind;  // "command", or the kind of a DeviceEvent
  std::string name;  // name of the operation or kernel
  // Fields of commands only.
  std::string text, engine, call;
  uint32_t id = 0, wait = 0;
  std::vector<OperandRecord> operands;
  std::vector<RangeRecord> footprint;
  Cost cost;
  // Fields of events only.
  std::string space;
  uint64_t address = 0, bytes = 0, number = 0;
};

class EventRecorder final : public Observer {
 public:
  // Operands of more elements have no values in the record.
  static constexpr uint64_t kMostValues = uint64_t{1} << 22;

  EventRecorder(bool has_profile, bool has_values)
      : has_profile_(has_profile), has_values_(has_values) {}
  // Sets the device that the next calls observe.
  void begin(const Device& device);

  void on_issue(const CallSite& site) override;
  void before_instruction(const Instruction& instruction, const Footprint& footprint) override;
  void on_instruction(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) override;
  void on_event(const DeviceEvent& event) override;
  // Returns all records since the last call.
  std::vector<EventRecord> take();
  // Returns predicted time as JSON like `tputwin timing --json`; "{}" without a profile.
  std::string profile();

 private:
  void add(EventRecord record);

  const bool has_profile_, has_values_;
  const Device* device_ = nullptr;
  std::mutex mutex_;
  std::vector<EventRecord> records_;
  std::unique_ptr<insight::TimelineRecorder> timeline_;
  std::vector<std::vector<double>> before_;  // of the next command's operands
  std::string call_;
};

}  // namespace tputwin::python

// What a device does, as values that stay: commands with their operands and bytes, and what happens
// between them.
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
  // Elements of what the command reads, and of what it has written; if they are asked for.
  std::vector<double> before = {}, after = {};
};

struct RangeRecord {
  bool written = false;
  std::string space;
  uint32_t lane = 0;
  uint64_t begin = 0, end = 0;
};

struct EventRecord {
  std::string kind;  // "command", or that of a DeviceEvent
  std::string name;  // of the operation; of the kernel
  // Of commands.
  std::string text, engine, call;
  uint32_t id = 0, wait = 0;
  std::vector<OperandRecord> operands;
  std::vector<RangeRecord> footprint;
  Cost cost;
  // Of events.
  std::string space;
  uint64_t address = 0, bytes = 0, number = 0;
};

class EventRecorder final : public Observer {
 public:
  // Values of more elements than this are left out.
  static constexpr uint64_t kMostValues = uint64_t{1} << 22;

  EventRecorder(bool has_profile, bool has_values)
      : has_profile_(has_profile), has_values_(has_values) {}
  // What is observed next is this device.
  void begin(const Device& device);

  void on_issue(const CallSite& site) override;
  void before_instruction(const Instruction& instruction, const Footprint& footprint) override;
  void on_instruction(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) override;
  void on_event(const DeviceEvent& event) override;
  // All since the last time.
  std::vector<EventRecord> take();
  // Where predicted time went, as `tputwin timing --json` tells; {} without a profile.
  std::string profile();

 private:
  void add(EventRecord record);

  const bool has_profile_, has_values_;
  const Device* device_ = nullptr;
  std::mutex mutex_;
  std::vector<EventRecord> records_;
  std::unique_ptr<insight::TimelineRecorder> timeline_;
  std::vector<std::vector<double>> before_;  // of the operands of the next command
  std::string call_;
};

}  // namespace tputwin::python

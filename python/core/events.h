// What a device does, as values that stay: commands with their operands and bytes, and what happens
// between them.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "machine/device.h"

namespace tputwin::python {

struct OperandRecord {
  std::string name, access, space, dtype;
  uint64_t address = 0;
  std::vector<uint64_t> shape, strides;  // strides in bytes
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
  void on_issue(const CallSite& site) override { call_ = site.call; }
  void on_instruction(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) override;
  void on_event(const DeviceEvent& event) override;
  // All since the last time.
  std::vector<EventRecord> take();

 private:
  void add(EventRecord record);

  std::mutex mutex_;
  std::vector<EventRecord> records_;
  std::string call_;
};

}  // namespace tputwin::python

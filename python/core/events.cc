// Instructions and events become records.
#include "core/events.h"

#include <array>
#include <utility>

namespace tputwin::python {
namespace {

std::string access_name(Access access) {
  static constexpr std::array kNames{"read", "write", "read_write"};
  return kNames.at(static_cast<size_t>(access));
}

std::string kind_name(DeviceEvent::Kind kind) {
  static constexpr std::array kNames{"launch_begin", "kernel_end",    "launch_end",  "synced",
                                     "poll",         "section_begin", "section_end", "allocated",
                                     "freed",        "host_write",    "host_read",   "pointer",
                                     "commands",     "closed",        "tensor"};
  static_assert(kNames.size() == static_cast<size_t>(DeviceEvent::Kind::tensor) + 1);
  return kNames.at(static_cast<size_t>(kind));
}

OperandRecord record_of(const Operand& operand) {
  const TensorView& view = *operand.view;
  const auto& [n, c, h, w] = view.shape;
  const auto& [sn, sc, sh, sw] = view.stride;
  return {.name = std::string(operand.name),
          .access = access_name(operand.access),
          .space = to_string(view.space),
          .dtype = to_string(view.dtype),
          .address = view.address,
          .shape = {n, c, h, w},
          .strides = {sn, sc, sh, sw}};
}

void append(const std::vector<ByteRange>& ranges, bool written, std::vector<RangeRecord>& all) {
  for (const ByteRange& range : ranges)
    all.push_back({written, to_string(range.space), range.lane, range.begin, range.end});
}

}  // namespace

void EventRecorder::on_instruction(const Instruction& instruction, const Footprint& footprint,
                                   const Cost& cost) {
  EventRecord record{.kind = "command",
                     .name = std::string(name(instruction.op)),
                     .text = describe(instruction.op),
                     .engine = std::string(to_string(instruction.engine)),
                     .call = std::exchange(call_, {}),
                     .id = instruction.id,
                     .wait = instruction.wait,
                     .cost = cost};
  for (const Operand& operand : operands(instruction.op))
    record.operands.push_back(record_of(operand));
  append(footprint.reads, false, record.footprint);
  append(footprint.writes, true, record.footprint);
  add(std::move(record));
}

void EventRecorder::on_event(const DeviceEvent& event) {
  add({.kind = kind_name(event.kind),
       .name = std::string(event.name),
       .space = to_string(event.space),
       .address = event.address,
       .bytes = event.bytes,
       .number = event.number});
}

void EventRecorder::add(EventRecord record) {
  std::lock_guard lock(mutex_);
  records_.push_back(std::move(record));
}

std::vector<EventRecord> EventRecorder::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(records_, {});
}

}  // namespace tputwin::python

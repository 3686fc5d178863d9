// Converts instructions and events to records.
#include "core/events.h"

#include <array>
#include <utility>

#include "insight/debug/memory_text.h"
#include "insight/timing/time_breakdown.h"

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

std::vector<double> values_of(const TensorView& view, const Device& device) {
  std::vector<double> values;
  const auto& [n, c, h, w] = view.shape;
  if (uint64_t{n} * c * h * w > EventRecorder::kMostValues) return values;
  // The memory is only read; const Device has no access to L2-SRAM and DTCM.
  const Memory memory = const_cast<Device&>(device).memories().take_all();
  for (uint32_t in = 0; in < n; ++in)
    for (uint32_t ic = 0; ic < c; ++ic)
      for (uint32_t ih = 0; ih < h; ++ih)
        for (uint32_t iw = 0; iw < w; ++iw)
          values.push_back(debug::element_value(memory.read(view, in, ic, ih, iw), view.dtype));
  return values;
}

}  // namespace

void EventRecorder::begin(const Device& device) {
  std::lock_guard lock(mutex_);
  device_ = &device;
  if (has_profile_) timeline_ = std::make_unique<insight::TimelineRecorder>(device.chip());
}

void EventRecorder::on_issue(const CallSite& site) {
  call_ = site.call;
  std::lock_guard lock(mutex_);
  if (timeline_) timeline_->on_issue(site);
}

void EventRecorder::before_instruction(const Instruction& instruction, const Footprint&) {
  before_.clear();
  if (!has_values_) return;
  for (const Operand& operand : operands(instruction.op))
    before_.push_back(operand.access == Access::write ? std::vector<double>()
                                                      : values_of(*operand.view, *device_));
}

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
  for (const Operand& operand : operands(instruction.op)) {
    OperandRecord made = record_of(operand);
    if (record.operands.size() < before_.size())
      made.before = std::move(before_[record.operands.size()]);
    if (has_values_ && operand.access != Access::read)
      made.after = values_of(*operand.view, *device_);
    record.operands.push_back(std::move(made));
  }
  append(footprint.reads, false, record.footprint);
  append(footprint.writes, true, record.footprint);
  add(std::move(record));
  std::lock_guard lock(mutex_);
  if (timeline_) timeline_->on_instruction(instruction, footprint, cost);
}

void EventRecorder::on_event(const DeviceEvent& event) {
  add({.kind = kind_name(event.kind),
       .name = std::string(event.name),
       .space = to_string(event.space),
       .address = event.address,
       .bytes = event.bytes,
       .number = event.number});
  std::lock_guard lock(mutex_);
  if (timeline_) timeline_->on_event(event);
}

void EventRecorder::add(EventRecord record) {
  std::lock_guard lock(mutex_);
  records_.push_back(std::move(record));
}

std::vector<EventRecord> EventRecorder::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(records_, {});
}

std::string EventRecorder::profile() {
  std::lock_guard lock(mutex_);
  if (!timeline_) return "{}";
  const insight::Timeline& timeline = timeline_->timeline();
  return insight::breakdown_json(timeline, insight::break_down(timeline));
}

}  // namespace tputwin::python

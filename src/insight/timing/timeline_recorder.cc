// What commands say of themselves, and where they come from.
#include "insight/timing/timeline_recorder.h"

#include <algorithm>
#include <tuple>

#include "insight/layer_scope.h"
#include "insight/timing/simulate.h"

namespace tputwin::insight {
namespace {

Held held_by(const Operand& operand, const Chip& chip) {
  const TensorView& view = *operand.view;
  Held held{.operand = operand.name, .access = operand.access, .space = view.space};
  held.first_lane = 0;
  held.lanes = 1;
  held.begin = view.address;
  uint64_t turns = view.shape.c;
  if (view.space == Space::local) {
    held.first_lane = static_cast<uint32_t>(view.address / chip.lane_bytes);
    held.lanes = std::min(view.shape.c, chip.lanes);
    held.begin = view.address % chip.lane_bytes;
    turns = (held.first_lane + uint64_t{view.shape.c} - 1) / chip.lanes + 1;
  }
  const uint64_t planes = is_run(view) ? run_bytes(view) : view.plane_stride + 1;
  held.end = held.begin + (cells(view) - 1) * uint64_t{view.stride.n} +
             (turns - 1) * view.stride.c + (view.shape.h - 1) * uint64_t{view.stride.h} +
             (view.shape.w - 1) * uint64_t{view.stride.w} + planes;
  return held;
}

}  // namespace

TimelineRecorder::TimelineRecorder(const Chip& chip, bool with_stacks)
    : timeline_(timeline_of(chip)), with_stacks_(with_stacks) {}

void TimelineRecorder::on_issue(const CallSite& site) {
  site_ = site;
  is_issued_ = true;
  if (with_stacks_) stack_ = Stacks::of_process().capture();
}

void TimelineRecorder::begin_launch(std::string_view name, uint64_t number) {
  timeline_.launches.push_back({.name = std::string(name),
                                .number = number,
                                .first = static_cast<uint32_t>(timeline_.commands.size())});
  is_behind_poll_ = false;
}

void TimelineRecorder::on_instruction(const Instruction& instruction, const Footprint&,
                                      const Cost& cost) {
  if (timeline_.launches.empty() || (!in_launch_ && simulated_ == timeline_.launches.size()))
    begin_launch({}, 0);
  if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
    std::tie(site_.call, stack_) = std::pair(made->second.call, made->second.stack);
  TimelineLaunch& launch = timeline_.launches.back();
  TimelineCommand command{.engine = instruction.engine,
                          .id = instruction.id,
                          .wait = instruction.wait,
                          .operation = name(instruction.op),
                          .call = site_.call,
                          .layer = layer_.empty() ? std::string(LayerScope::current()) : layer_,
                          .launch = static_cast<uint32_t>(timeline_.launches.size() - 1),
                          .number = ++launch.count,
                          .stack = stack_,
                          .is_issued = is_issued_,
                          .is_behind_poll = is_behind_poll_,
                          .held = {},
                          .cost = cost};
  if (launch.count <= layer_of_.size()) command.layer = layer_of_[launch.count - 1];
  const OperandList list = operands(instruction.op);
  command.work = work_of(command.operation, instruction.engine, list, cost, timeline_.chip);
  for (const Operand& operand : list)
    if (operand.view->space != Space::global && operand.view->shape.count() != 0)
      command.held.push_back(held_by(operand, timeline_.chip));
  timeline_.commands.push_back(std::move(command));
  site_ = {};
  stack_ = 0;
  is_issued_ = is_behind_poll_ = false;
}

void TimelineRecorder::on_event(const DeviceEvent& event) {
  switch (event.kind) {
    case DeviceEvent::Kind::launch_begin:
      origin_.clear();
      layer_of_.clear();
      in_launch_ = true;
      return begin_launch(event.name, event.number);
    case DeviceEvent::Kind::launch_end:
      in_launch_ = false;
      return;
    case DeviceEvent::Kind::poll:
      is_behind_poll_ = true;
      return;
    case DeviceEvent::Kind::commands:
      origin_ = Origins::of_process().find(event.commands);
      layers_ = Layers::of_process().find(event.commands);
      layer_of_ = layers_.by_command();
      return;
    default:
      return;
  }
}

const Timeline& TimelineRecorder::timeline() {
  simulate(timeline_, simulated_);
  if (!in_launch_) simulated_ = static_cast<uint32_t>(timeline_.launches.size());
  return timeline_;
}

}  // namespace tputwin::insight

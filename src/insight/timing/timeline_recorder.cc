// TimelineRecorder: converts instructions to commands, with their calls and layers.
#include "insight/timing/timeline_recorder.h"

#include <tuple>
#include <utility>

#include "insight/layer_scope.h"
#include "insight/timing/commands.h"
#include "insight/timing/simulate.h"

namespace tputwin::insight {

TimelineRecorder::TimelineRecorder(const Chip& chip, bool with_stacks)
    : timeline_(timeline_of(chip)), with_stacks_(with_stacks) {}

void TimelineRecorder::on_issue(const CallSite& site) {
  site_ = site;
  is_issued_ = true;
  if (with_stacks_) stack_ = Stacks::of_process().capture();
}

void TimelineRecorder::on_instruction(const Instruction& instruction, const Footprint&,
                                      const Cost& cost) {
  if (!in_launch_ && simulated_ == timeline_.launches.size()) begin_launch(timeline_, {});
  if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
    std::tie(site_.call, stack_) = std::pair(made->second.call, made->second.stack);
  TimelineCommand& command = add_command(timeline_, command_of(instruction, cost, timeline_.chip));
  command.call = site_.call;
  command.layer = layer_.empty() ? std::string(LayerScope::name_of(instruction)) : layer_;
  if (command.number <= layer_of_.size()) command.layer = layer_of_[command.number - 1];
  command.stack = stack_;
  command.is_issued = is_issued_;
  command.follows_poll = follows_poll_;
  site_ = {};
  stack_ = 0;
  is_issued_ = follows_poll_ = false;
}

void TimelineRecorder::on_event(const DeviceEvent& event) {
  switch (event.kind) {
    case DeviceEvent::Kind::launch_begin:
      origin_.clear();
      layer_of_.clear();
      in_launch_ = true;
      follows_poll_ = false;
      return begin_launch(timeline_, event.name, event.number);
    case DeviceEvent::Kind::launch_end:
      in_launch_ = false;
      return;
    case DeviceEvent::Kind::poll:
      follows_poll_ = true;
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

Timeline TimelineRecorder::take() {
  timeline();
  simulated_ = 0;
  return std::exchange(timeline_, Timeline{timeline_.chip, timeline_.timing, {}, {}});
}

}  // namespace tputwin::insight

// Converts instructions to commands of a timeline.
#include "insight/timing/commands.h"

#include <algorithm>
#include <cmath>

#include "insight/timing/simulate.h"

namespace tputwin::insight {
namespace {

Held held_by(const Operand& operand, const Chip& chip) {
  const TensorView& view = *operand.view;
  Held held{.operand = operand.name, .access = operand.access, .space = view.space};
  held.lanes = 1;
  held.begin = view.address;
  uint64_t rounds = view.shape.c;
  if (view.space == Space::local) {
    held.first_lane = static_cast<uint32_t>(view.address / chip.lane_bytes);
    held.lanes = std::min(view.shape.c, chip.lanes);
    held.begin = view.address % chip.lane_bytes;
    rounds = (held.first_lane + uint64_t{view.shape.c} - 1) / chip.lanes + 1;
  }
  const uint64_t planes = is_run(view) ? run_bytes(view) : view.plane_stride + 1;
  held.end = held.begin + (cells(view) - 1) * uint64_t{view.stride.n} +
             (rounds - 1) * view.stride.c + (view.shape.h - 1) * uint64_t{view.stride.h} +
             (view.shape.w - 1) * uint64_t{view.stride.w} + planes;
  return held;
}

// Returns a command without what it holds in on-chip memory, which its time does not depend on.
TimelineCommand priced_command(const Instruction& instruction, const Cost& cost,
                               const OperandList& list, const Chip& chip) {
  TimelineCommand command;
  command.engine = instruction.engine;
  command.id = instruction.id;
  command.wait = instruction.wait;
  command.operation = name(instruction.op);
  command.cost = cost;
  command.work = work_of(arithmetic(instruction.op), instruction.engine, list, cost, chip);
  return command;
}

}  // namespace

TimelineCommand command_of(const Instruction& instruction, const Cost& cost, const Chip& chip) {
  const OperandList list = operands(instruction.op);
  TimelineCommand command = priced_command(instruction, cost, list, chip);
  for (const Operand& operand : list)
    if (operand.view->space != Space::global && operand.view->shape.count() != 0)
      command.held.push_back(held_by(operand, chip));
  return command;
}

void begin_launch(Timeline& timeline, std::string_view name, uint64_t number) {
  timeline.launches.push_back({.name = std::string(name),
                               .number = number,
                               .first = static_cast<uint32_t>(timeline.commands.size())});
}

TimelineCommand& add_command(Timeline& timeline, TimelineCommand command) {
  command.launch = static_cast<uint32_t>(timeline.launches.size() - 1);
  command.number = ++timeline.launches.back().count;
  timeline.commands.push_back(std::move(command));
  return timeline.commands.back();
}

void add_program(Timeline& timeline, std::string_view name, std::span<const Instruction> program,
                 std::span<const std::string_view> layers) {
  begin_launch(timeline, name);
  for (size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program[i];
    TimelineCommand command =
        command_of(instruction, cost(instruction.op, timeline.chip), timeline.chip);
    if (i < layers.size()) command.layer = layers[i];
    add_command(timeline, std::move(command));
  }
}

uint64_t launch_cycles(const Chip& chip) {
  return static_cast<uint64_t>(std::llround(timing_of(chip).launch_seconds * chip.clock_hz));
}

RunCycles run_cycles(std::span<const Instruction> program, const Chip& chip) {
  Timeline timeline = timeline_of(chip);
  timeline.timing.launch_seconds = 0;
  timeline.commands.reserve(program.size());
  begin_launch(timeline, {});
  for (const Instruction& instruction : program)
    add_command(timeline, priced_command(instruction, cost(instruction.op, chip),
                                         operands(instruction.op), chip));
  simulate(timeline);
  RunCycles run{.all = timeline.cycles()};
  for (const TimelineCommand& command : timeline.commands)
    (command.engine == Engine::dma ? run.dma : run.compute) += command.work_cycles();
  return run;
}

uint64_t predicted_cycles(std::span<const Instruction> program, const Chip& chip) {
  return run_cycles(program, chip).all + launch_cycles(chip);
}

}  // namespace tputwin::insight

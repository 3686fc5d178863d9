// Commands of a timeline, from a running device or from programs that are timed without running.
#pragma once

#include <span>
#include <string_view>

#include "insight/timing/timeline.h"
#include "ops/instruction.h"

namespace tputwin::insight {

// Returns the command of an instruction. The caller sets its position and origin.
TimelineCommand command_of(const Instruction& instruction, const Cost& cost, const Chip& chip);

void begin_launch(Timeline& timeline, std::string_view name, uint64_t number = 0);
// Adds a command to the last launch.
TimelineCommand& add_command(Timeline& timeline, TimelineCommand command);

// Adds a launch of a program that the engines fetch from memory. `layers` are those of the first
// commands, where the file names them.
void add_program(Timeline& timeline, std::string_view name, std::span<const Instruction> program,
                 std::span<const std::string_view> layers = {});
// Predicted cycles of commands that the engines fetch from memory, without a launch: from the first
// to the last, and those in which each engine works.
struct RunCycles {
  uint64_t all = 0, compute = 0, dma = 0;
};
RunCycles run_cycles(std::span<const Instruction> program, const Chip& chip);
// Returns the cycles of the launch before them.
uint64_t launch_cycles(const Chip& chip);
// Returns the predicted cycles of a program, from the host's call to its end.
uint64_t predicted_cycles(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::insight

// Commands of a timeline, of what runs and of programs that need not run to be timed.
#pragma once

#include <span>
#include <string_view>

#include "insight/timing/timeline.h"
#include "ops/instruction.h"

namespace tputwin::insight {

// What an instruction says of itself; its place and its origin are the caller's.
TimelineCommand command_of(const Instruction& instruction, const Cost& cost, const Chip& chip);

void begin_launch(Timeline& timeline, std::string_view name, uint64_t number = 0);
// To the launch that began last.
TimelineCommand& add_command(Timeline& timeline, TimelineCommand command);

// A launch of a program that the engines fetch from memory.
void add_program(Timeline& timeline, std::string_view name, std::span<const Instruction> program);
// Its predicted cycles, from the host's call to its end.
uint64_t predicted_cycles(std::span<const Instruction> program, const Chip& chip);

}  // namespace tputwin::insight

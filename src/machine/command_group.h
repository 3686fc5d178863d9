// Runs the command groups of bmodels.
#pragma once

#include <span>

#include "machine/device.h"
#include "machine/planned_program.h"

namespace tputwin {

// Runs a group, which must be as isa::decode_streams() returns it. It may run any number of times.
// The engines are idle before and after it. Local memory keeps its contents from earlier work. An
// index out of its bounds, at which the chip's reference model stops, is an error that sticks to
// the device.
Status run_command_group(Device& device, std::span<const Instruction> group);
// Runs a group that may run again, and uses its plan.
Status run_command_group(Device& device, PlannedProgram& group);

}  // namespace tputwin

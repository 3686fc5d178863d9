// Runs the command groups of bmodels.
#pragma once

#include <span>

#include "machine/device.h"
#include "machine/planned_program.h"

namespace tputwin {

// Runs a group as isa::decode_streams returns it, any number of times. The engines are idle before
// and after. Local memory keeps the state that earlier work left. An index out of its bounds, at
// which the chip's reference model stops, is an error that sticks to the device.
Status run_command_group(Device& device, std::span<const Instruction> group);
// Runs a group that may run again, with its plan.
Status run_command_group(Device& device, PlannedProgram& group);

}  // namespace tputwin

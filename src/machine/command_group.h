// Runs the command groups of bmodels.
#pragma once

#include <span>

#include "machine/device.h"
#include "machine/plan.h"

namespace tputwin {

// A group as isa::decode_streams gives it, as often as wanted. The engines are idle before and
// after; local memory stays as the work before left it. An index outside of what it picks from, at
// which the chip's reference model stops, is an error that sticks to the device as others do.
Status run_command_group(Device& device, std::span<const Instruction> group);
// The same of one that may run again.
Status run_command_group(Device& device, Plan& group);

}  // namespace tputwin

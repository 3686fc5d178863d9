// Runs the command groups of bmodels on a device.
#include "machine/command_group.h"

#include "isa/streams/stream.h"

namespace tputwin {
namespace {

Status run_group(Device& device, std::span<const Instruction> group, auto&& run) {
  isa::forget_faults(group);
  TW_RETURN_IF_ERROR(run());
  for (const Instruction& instruction : group)
    if (Status fault = isa::fault_of(instruction); !fault.ok())
      return device.errors().report(std::move(fault), {.call = fault.error().call()});
  return {};
}

}  // namespace

Status run_command_group(Device& device, std::span<const Instruction> group) {
  return run_group(device, group, [&] { return device.run(group); });
}

Status run_command_group(Device& device, PlannedProgram& group) {
  return run_group(device, group.instructions(), [&] { return device.run(group); });
}

}  // namespace tputwin

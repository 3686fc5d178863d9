// Runs the command groups of bmodels on a device.
#include "machine/command_group.h"

#include "isa/streams/stream.h"

namespace tputwin {

Status run_command_group(Device& device, std::span<const Instruction> group) {
  isa::forget_faults(group);
  TW_RETURN_IF_ERROR(device.run(group));
  for (const Instruction& instruction : group)
    if (Status fault = isa::fault_of(instruction); !fault.ok())
      return device.report_call(std::move(fault), {.call = fault.error().call()});
  return {};
}

}  // namespace tputwin

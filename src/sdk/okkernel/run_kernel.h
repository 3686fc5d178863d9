// Running one kernel from its first to its last instruction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "machine/device.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// What a run leaves: the error that stopped it, and what it was warned of.
struct Outcome {
  std::optional<Error> error;
  std::vector<WarningCount> warnings;
};

// Runs a kernel on the calling thread, whose record of errors it uses and clears, and finishes all
// work it left queued. The device is as able to work afterwards as before. One kernel runs at a
// time in a process, because kernels keep state in global variables.
Outcome run_kernel(Device& device, const std::string& name, KernelFunction function,
                   const void* arguments);

// A condition of OKKERNEL_ASSERT that does not hold: leaves the kernel, whose launch fails, if
// TPUTWIN_ASSERT=fail or if an error came before, of which the condition may be a consequence; else
// returns.
void leave_failed_kernel(const char* file, int line, const char* expression);

}  // namespace tputwin::okk

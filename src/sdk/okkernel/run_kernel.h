// The run of one kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "machine/device.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// Result of a run: the error that stopped it, and its warnings.
struct Outcome {
  std::optional<Error> error;
  std::vector<WarningCount> warnings;
};

// Runs a kernel on the calling thread and finishes all work it left queued. It uses and clears the
// thread's record of errors. The device remains usable. One kernel runs at a time in a process,
// because kernels keep state in global variables.
Outcome run_kernel(Device& device, const std::string& name, KernelFunction function,
                   const void* arguments);

// Handles a failed condition of OKKERNEL_ASSERT. Leaves the kernel, whose launch fails, if
// TPUTWIN_ASSERT=fail or if an earlier error may have caused the failure. Otherwise returns.
void leave_failed_kernel(const char* file, int line, const char* expression);

}  // namespace tputwin::okk

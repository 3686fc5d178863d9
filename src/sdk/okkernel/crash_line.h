// The line that a crash in a launch prints on standard error before the process ends.
#pragma once

#include <signal.h>

namespace tputwin::okk {

struct LaunchLabel;

// For signal handlers: allocates nothing and takes no lock. `is_own`: the kernel's own code runs,
// no function of this library.
void write_crash_line(const LaunchLabel& label, int signal, const siginfo_t& info, bool is_own);

}  // namespace tputwin::okk

// A run as a trace of ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "insight/profile/profiled_run.h"

namespace tputwin::insight {

// Returns JSON trace events. Engines and launches are tracks. Layers and calls are slices around
// their commands. Arrows lead from a command to the one that waits for it. Counters show bandwidth,
// arithmetic and local memory. Times are predicted microseconds.
std::string to_trace(const ProfiledRun& run);

}  // namespace tputwin::insight

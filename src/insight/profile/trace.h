// A run as a trace of ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "insight/profile/run.h"

namespace tputwin::insight {

// JSON of trace events: engines and launches as tracks, layers and calls as slices around their
// commands, arrows from a command to the one that waits for it, counters of bandwidth, arithmetic
// and local memory. Times are predicted microseconds.
std::string to_trace(const ProfiledRun& run);

}  // namespace tputwin::insight

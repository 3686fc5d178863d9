// A run as text: the use of the engines, and the parts of the time.
#pragma once

#include <string>

#include "insight/profile/profiled_run.h"

namespace tputwin::insight {

// Returns several lines, each with a line break.
std::string to_summary(const ProfiledRun& run);
// Returns these numbers and all rows as one line of JSON.
std::string to_summary_json(const ProfiledRun& run);

}  // namespace tputwin::insight

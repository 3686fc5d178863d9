// A run as text: the use of the engines, and where the time goes.
#pragma once

#include <string>

#include "insight/profile/run.h"

namespace tputwin::insight {

// Several lines, each with a line break.
std::string to_summary(const ProfiledRun& run);
// The same numbers and all rows, as one line of JSON.
std::string to_summary_json(const ProfiledRun& run);

}  // namespace tputwin::insight

// The profile that the environment asks for:
//   TPUTWIN_PROFILE        1: times are predicted, and a summary is printed at the end
//   TPUTWIN_PROFILE_HTML   a file for the page
//   TPUTWIN_PROFILE_TRACE  a file for the trace
//   TPUTWIN_PROFILE_JSON   a file for the summaries, a line for each device; they are then not printed
//   TPUTWIN_PROFILE_TITLE  what was run; otherwise the program's name
// A second device of a process has its number in the names of its files: profile-2.html.
#pragma once

#include <memory>

#include "machine/device.h"

namespace tputwin::insight {

bool is_profiling();

// What records a device, and writes its profile when the device or the process ends; nullptr if
// nobody asks for one.
std::unique_ptr<Observer> profile_device(Device& device);

}  // namespace tputwin::insight

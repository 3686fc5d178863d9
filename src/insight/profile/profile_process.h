// The profile that the environment enables:
//   TPUTWIN_PROFILE        1: predicts times, and prints a summary at the end
//   TPUTWIN_PROFILE_HTML   a file for the page
//   TPUTWIN_PROFILE_TRACE  a file for the trace
//   TPUTWIN_PROFILE_JSON   a file for summaries, a line per device, which are then not printed
//   TPUTWIN_PROFILE_TITLE  the title; by default the program's name
// Names of files of further devices of a process contain their number: profile-2.html.
#pragma once

#include <memory>

#include "machine/device.h"

namespace tputwin::insight {

bool is_profiling();

// Returns an observer that writes a device's profile when the device or the process ends; nullptr
// if no profile is enabled.
std::unique_ptr<Observer> profile_device(Device& device);

}  // namespace tputwin::insight

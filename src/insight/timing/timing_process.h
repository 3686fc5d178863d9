// The recording of commands that the environment enables:
//   TPUTWIN_TIMING  a file for the commands of every device (insight/timing/command_recording.h)
#pragma once

#include <memory>

#include "machine/device.h"

namespace tputwin::insight {

bool is_timing();
// Returns an observer that records the commands of a device; nullptr if the environment does not
// enable it.
std::unique_ptr<Observer> time_device(Device& device);

}  // namespace tputwin::insight

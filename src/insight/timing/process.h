// The recording of a process, that the environment asks for:
//   TPUTWIN_TIMING  a file for the commands of every device (insight/timing/recording.h)
#pragma once

#include <memory>

#include "machine/device.h"

namespace tputwin::insight {

bool is_timing();
// What records the commands of a device, to be added to its observers; nullptr if nobody asks.
std::unique_ptr<Observer> time_device(Device& device);

}  // namespace tputwin::insight

// The event simulation: places commands in time by the chip's engines and its control processor.
#pragma once

#include "insight/timing/timeline.h"

namespace tputwin::insight {

// Sets the predicted times of all commands from `from` on, a place where a launch begins, and of
// their launches.
void simulate(Timeline& timeline, uint32_t from_launch = 0);

}  // namespace tputwin::insight

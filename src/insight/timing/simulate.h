// The event simulation: predicts times of commands from the chip's engines and its control
// processor.
#pragma once

#include "insight/timing/timeline.h"

namespace tputwin::insight {

// Sets the predicted times of the launches from `from_launch` on, and of their commands.
void simulate(Timeline& timeline, uint32_t from_launch = 0);

}  // namespace tputwin::insight

// A synthetic timeline.
#pragma once

#include "insight/profile/profiled_run.h"

namespace tputwin::insight::testing {

// One launch of the BM1880: a load of 16 bytes, an operation on them from 16 on, and a store of its
// result. Each waits for the previous one; 10 cycles each, 5 before the first. Layers "a" and "b".
Timeline three_commands();

}  // namespace tputwin::insight::testing

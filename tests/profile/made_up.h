// A timeline that no program made.
#pragma once

#include "insight/profile/run.h"

namespace tputwin::insight::testing {

// One launch of the BM1880: a load of 16 bytes, an operation on them from 16 on, a store of its
// result, each waiting for the one before; 10 cycles each, 5 before the first. Layers "a" and "b".
Timeline three_commands();

}  // namespace tputwin::insight::testing

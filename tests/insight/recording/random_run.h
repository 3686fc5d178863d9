// Runs of random operations, recorded.
#pragma once

#include "insight/recording/player.h"
#include "selftest/random_operation.h"

namespace tputwin::insight::recording::testing {

// Records `operations` operations of the kinds of a family. Between them, bytes are written without
// a call of the device.
Recording record_random_run(ChipFamily family, uint64_t seed, size_t operations);

}  // namespace tputwin::insight::recording::testing

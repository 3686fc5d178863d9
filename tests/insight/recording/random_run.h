// Runs of random operations, recorded.
#pragma once

#include "insight/recording/player.h"
#include "selftest/random_operation.h"

namespace tputwin::insight::recording::testing {

// So many operations of the kinds of a family, on bytes that are written between them without a
// word to the device.
Recording record_random_run(ChipFamily family, uint64_t seed, size_t operations);

}  // namespace tputwin::insight::recording::testing

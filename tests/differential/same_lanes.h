// Compares the lanes of two memories.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "selftest/test_memory.h"

namespace tputwin::testing {

inline void expect_same_lanes(TestMemory& actual, TestMemory& expected, const Chip& chip) {
  for (uint32_t lane = 0; lane < chip.lanes; ++lane)
    EXPECT_EQ(std::memcmp(actual.local().lane(lane), expected.local().lane(lane), chip.lane_bytes),
              0)
        << lane;
}

}  // namespace tputwin::testing

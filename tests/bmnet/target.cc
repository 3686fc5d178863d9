// The constants of the kernels equal those of the target chip.
#include <gtest/gtest.h>

#include "bmnet/kernels/program.h"
#include "bmnet/kernels/target.h"

namespace tputwin::net {
namespace {

TEST(Target, HasTheNumbersOfTheKernels) {
  EXPECT_EQ(kLanes, target().lanes);
  EXPECT_EQ(kUnits, target().eu_bytes);
  EXPECT_EQ(kLaneBytes, target().lane_bytes);
}

}  // namespace
}  // namespace tputwin::net

// The numbers that kernels are written with are those of the chip that programs are for.
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

// The chip of programs for which no device is given.
#include "chip/family.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tputwin {
namespace {

TEST(Chips, OfAFamilyTheFirstIsWhatItIsCalledAfter) {
  EXPECT_EQ(&first_of(ChipFamily::bm1880), &bm1880());
  EXPECT_EQ(&first_of(ChipFamily::bm1684), &bm1684());
  EXPECT_EQ(&first_of(ChipFamily::bm1684x), &bm1684x());
}

TEST(Chips, TheEnvironmentChoosesWithinTheFamilyOnly) {
  setenv("TPUTWIN_CHIP", "bm1684x", 1);
  EXPECT_EQ(&chip_of_process(ChipFamily::bm1684x), &bm1684x());
  EXPECT_EQ(&chip_of_process(ChipFamily::bm1684), &bm1684());
  setenv("TPUTWIN_CHIP", "no chip", 1);
  EXPECT_EQ(&chip_of_process(ChipFamily::bm1880), &bm1880());
  unsetenv("TPUTWIN_CHIP");
  EXPECT_EQ(&chip_of_process(ChipFamily::bm1684x), &bm1684x());
}

}  // namespace
}  // namespace tputwin

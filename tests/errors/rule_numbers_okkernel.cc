// Messages of OKKernel calls give the numbers of the kernel's chip.
#include <gtest/gtest.h>

#include "common/sister_chip.h"
#include "errors/kernel.h"

namespace tputwin::testing {
namespace {

TEST(RuleNumbers, OfTheBm1684FollowItsSister) {
  const auto add = [] {
    const dim4 shape{1, 1, 1, 1};
    okk_bdc_add_C(1u << 31, 0, 1.0f, &shape, nullptr, nullptr);
  };
  const auto message = [&](const Chip& chip) { return in_kernel(add, chip).message(); };
  EXPECT_EQ(message(bm1684()).find("instead of"), std::string::npos);
  EXPECT_NE(message(sister_of(bm1684())).find("; the sister: NPUs 16 instead of 64, "),
            std::string::npos);
}

}  // namespace
}  // namespace tputwin::testing

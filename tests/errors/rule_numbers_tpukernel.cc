// Messages of TPUKernel calls give the numbers of the kernel's chip.
#include <gtest/gtest.h>

#include "common/sister_chip.h"
#include "errors/tpu_kernel.h"

namespace tputwin::testing {
namespace {

TEST(RuleNumbers, OfTheBm1684XFollowItsSister) {
  static constexpr dim4 kWide{1, 65, 1, 1};
  const auto broadcast = [] { tpu_bdc_npu_bcast(0, 4096, &kWide, DT_FP32); };
  const auto message = [&](const Chip& chip) { return in_tpu_kernel(broadcast, chip).message(); };
  EXPECT_NE(message(bm1684x()).find("must not exceed 64 ["), std::string::npos);
  EXPECT_NE(
      message(sister_of(bm1684x())).find("must not exceed 64; the sister: NPUs 16 instead of 64"),
      std::string::npos);
}

}  // namespace
}  // namespace tputwin::testing

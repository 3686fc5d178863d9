// tputwin timing and whatif on programs and models.
#include <gmock/gmock.h>

#include "common/shared_data.h"
#include "insight/timing/time_breakdown.h"
#include "tools/timing/timing.h"
#include "tools/timing/whatif_page.h"

namespace tputwin::tools {
namespace {

using ::testing::HasSubstr;

const std::string kPrograms = TPUTWIN_BIN_DIR;

TEST(Timing, AHostProgramReportsWhatBoundsItsLines) {
  auto timeline = timeline_of_words({kPrograms + "/okk_plus_one"});
  ASSERT_TRUE(timeline.ok()) << timeline.error().message();
  EXPECT_EQ(timeline->chip.name, "BM1684");
  ASSERT_FALSE(timeline->launches.empty());
  EXPECT_EQ(timeline->launches[0].name, "plus_one_serial");
  const std::string text = timing_text(*timeline);
  EXPECT_THAT(text, HasSubstr("okk_bdc_add_C"));
  EXPECT_THAT(text, HasSubstr("critical path: launch"));
  EXPECT_THAT(timing_json(*timeline), HasSubstr("\"critical_path\""));
}

// The predicted gain of double buffering is the difference to the example that uses it.
TEST(Timing, TheAdviceIsWhatTheOtherKernelDoes) {
  auto timeline = timeline_of_words({kPrograms + "/okk_plus_one"});
  ASSERT_TRUE(timeline.ok()) << timeline.error().message();
  const insight::TimeBreakdown e = insight::break_down(*timeline);
  ASSERT_FALSE(e.advice.empty());
  const insight::Advice& best = e.advice[0];
  EXPECT_EQ(best.remedy, insight::Remedy::double_buffer);
  EXPECT_EQ(e.groups[best.group].launch, "plus_one_serial");
  const insight::TimelineLaunch& parallel = timeline->launches[1];
  ASSERT_EQ(parallel.name, "plus_one_parallel");
  EXPECT_NEAR(double(best.kernel_after), double(parallel.end - parallel.begin),
              0.01 * double(best.kernel_before));
}

TEST(Timing, ProgramsThatFailAreReported) {
  EXPECT_EQ(timeline_of_words({"/no/program"}).error().code(), "TW-CLI-0019");
  EXPECT_EQ(timeline_of_words({"/bin/true"}).error().code(), "TW-CLI-0019");
  EXPECT_EQ(timeline_of_words({"/bin/false"}).error().code(), "TW-CLI-0019");
}

TEST(WhatIf, RatesAndLanesAreCombined) {
  WhatIfOptions options;
  options.lanes = {32, 64};
  options.issue = {1, 3.5};
  auto result = what_if(options, {kPrograms + "/okk_plus_one"});
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->rows.size(), 4u);
  for (const WhatIfRow& row : result->rows) EXPECT_EQ(row.error, "");
  EXPECT_EQ(result->rows[3].microseconds, result->microseconds);  // the chip's own numbers
  EXPECT_LT(result->rows[2].microseconds, result->microseconds);  // issue of 1 us
  EXPECT_THAT(whatif_text(*result), HasSubstr("lanes       issue"));
  EXPECT_THAT(whatif_json(*result), HasSubstr("\"issue\": 1.0"));
  EXPECT_THAT(whatif_page(*result, "plus </script>"), HasSubstr("\"names\":[\"lanes\",\"issue\"]"));
  EXPECT_THAT(whatif_page(*result, "plus </script>"), HasSubstr("plus <\\/script>"));
}

TEST(WhatIf, CaffeModelsAreCompiledForOtherLanes) {
  TW_NEED_SHARED_DATA("lenet-int8");
  const auto path = [](const char* name) {
    return testing::shared_data(std::string("lenet-int8/") + name);
  };
  WhatIfOptions options;
  options.lanes = {16, 32};
  options.lane_bytes = {65536};
  auto result = what_if(options,
                        {path("bmnet_lenet_calibration.caffemodel"),
                         path("bmnet_lenet_ctable_opt.pb2"), path("test_deploy.proto")},
                        kPrograms + "/tputwin");
  ASSERT_TRUE(result.ok()) << result.error().message();
  ASSERT_EQ(result->rows.size(), 2u);
  EXPECT_EQ(result->rows[0].error, "");
  EXPECT_GT(result->rows[0].microseconds, result->microseconds);
  EXPECT_EQ(result->rows[1].microseconds, result->microseconds);
}

TEST(WhatIf, WhatCannotBeIsRefused) {
  WhatIfOptions options;
  options.ddr = {0};
  EXPECT_EQ(what_if(options, {"program"}).error().code(), "TW-CLI-0031");
  options.ddr = {28};
  options.lanes = {32};
  EXPECT_EQ(what_if(options, {"net.bmodel"}).error().code(), "TW-CLI-0031");
}

}  // namespace
}  // namespace tputwin::tools

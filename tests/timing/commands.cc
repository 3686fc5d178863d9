// tputwin timing and whatif on programs and models.
#include <gmock/gmock.h>

#include "insight/timing/explain.h"
#include "tools/timing.h"
#include "tools/whatif.h"

namespace tputwin::tools {
namespace {

using ::testing::HasSubstr;

const std::string kPrograms = TPUTWIN_BIN_DIR;

TEST(Timing, AHostProgramSaysWhatBoundsItsLines) {
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

TEST(Timing, ProgramsThatFailAreToldSo) {
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
  EXPECT_EQ(result->rows[3].microseconds, result->microseconds);  // as it is
  EXPECT_LT(result->rows[2].microseconds, result->microseconds);  // issue of 1 us
  EXPECT_THAT(whatif_text(*result), HasSubstr("lanes       issue"));
  EXPECT_THAT(whatif_json(*result), HasSubstr("\"issue\": 1.0"));
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

// Campaigns of one process: order, checkpoints, failures.
#include "tools/campaign/campaign.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {
namespace {

// Squares; the unit `fails` does not work.
Campaign squares(std::vector<uint64_t>& worked, uint64_t fails = UINT64_MAX) {
  return {.identity = "squares", .units = 5, .work = [&worked, fails](uint64_t unit) {
            worked.push_back(unit);
            return unit == fails ? Result<std::string>(Error(errors::cli_usage))
                                 : Result<std::string>(std::to_string(unit * unit));
          }};
}

TEST(Campaign, GivesResultsInOrder) {
  std::vector<uint64_t> worked, seen;
  const auto results = run_campaign(
      squares(worked),
      {.checkpoint = "", .progress = [&](uint64_t done, uint64_t) { seen.push_back(done); }});
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(**results, (std::vector<std::string>{"0", "1", "4", "9", "16"}));
  EXPECT_EQ(seen, (std::vector<uint64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Campaign, GoesOnFromItsCheckpoint) {
  const testing::TemporaryDirectory folder;
  const CampaignOptions options{.checkpoint = folder / "part", .progress = nullptr};
  std::vector<uint64_t> worked;
  EXPECT_FALSE(run_campaign(squares(worked, 3), options).ok());
  EXPECT_TRUE(std::filesystem::exists(options.checkpoint));
  std::vector<uint64_t> again;
  const auto results = run_campaign(squares(again), options);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ((*results)->size(), 5u);
  EXPECT_EQ(again, (std::vector<uint64_t>{3, 4}));
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST(Campaign, TakesNoOthersCheckpoint) {
  const testing::TemporaryDirectory folder;
  const CampaignOptions options{.checkpoint = folder / "part", .progress = nullptr};
  std::vector<uint64_t> worked;
  EXPECT_FALSE(run_campaign(squares(worked, 2), options).ok());
  Campaign other = squares(worked);
  other.identity = "cubes";
  EXPECT_FALSE(run_campaign(other, options).ok());
  auto bytes = *read_bytes(options.checkpoint);
  bytes.insert(bytes.end(), {'7', ' ', '4', '9', '\n'});  // there are five
  ASSERT_TRUE(write_bytes(options.checkpoint, bytes).ok());
  EXPECT_FALSE(run_campaign(squares(worked), options).ok());
}

}  // namespace
}  // namespace tputwin::tools

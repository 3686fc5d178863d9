// Campaigns of one process: order, checkpoints, failures.
#include "tools/campaign/campaign.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {
namespace {

// Computes squares; the unit `fails` fails.
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
  bytes.insert(bytes.end(), {'7', ' ', '4', '9', '\n'});  // only five units exist
  ASSERT_TRUE(write_bytes(options.checkpoint, bytes).ok());
  EXPECT_FALSE(run_campaign(squares(worked), options).ok());
}

// Two units that return numbers, then three that add the sum of these to theirs after it is known.
struct TwoParts {
  std::vector<uint64_t> worked;
  std::vector<std::string> reported;
  uint64_t fails = UINT64_MAX;

  Campaign campaign() {
    const auto work = [this](uint64_t unit) -> Result<std::string> {
      worked.push_back(unit);
      if (unit == fails || (unit >= 2 && reported.empty())) return Error(errors::cli_usage);
      return unit < 2 ? std::to_string(10 + unit) : reported.back() + "+" + std::to_string(unit);
    };
    const auto summary = [](const std::vector<std::string>& lines) -> Result<std::string> {
      if (lines.size() != 2) return Error(errors::cli_usage);
      return std::to_string(std::stoul(lines[0]) + std::stoul(lines[1]));
    };
    return {.identity = "two parts",
            .units = 5,
            .work = work,
            .second_part = 2,
            .summary = summary,
            .go_on = [this](const std::string& sum) {
              reported.push_back(sum);
              return Status();
            }};
  }
};

TEST(Campaign, TheSecondPartKnowsTheFirst) {
  TwoParts parts;
  const auto results = run_campaign(parts.campaign(), {});
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(**results, (std::vector<std::string>{"10", "11", "21+2", "21+3", "21+4"}));
  EXPECT_EQ(parts.worked, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(parts.reported, std::vector<std::string>{"21"});
}

TEST(Campaign, GoesOnInEitherPart) {
  for (const uint64_t fails : {1, 2, 4}) {
    const testing::TemporaryDirectory folder;
    const CampaignOptions options{.checkpoint = folder / "part", .progress = nullptr};
    TwoParts first{.worked = {}, .reported = {}, .fails = fails};
    EXPECT_FALSE(run_campaign(first.campaign(), options).ok());
    TwoParts second;
    const auto results = run_campaign(second.campaign(), options);
    ASSERT_TRUE(results.ok()) << fails;
    EXPECT_EQ((*results)->back(), "21+4");
    EXPECT_EQ(second.reported, std::vector<std::string>{"21"});
    std::vector<uint64_t> left;
    for (uint64_t unit = fails; unit < 5; ++unit) left.push_back(unit);
    EXPECT_EQ(second.worked, left);
  }
}

TEST(Campaign, AFirstPartThatMakesNoSummaryEndsIt) {
  const testing::TemporaryDirectory folder;
  const CampaignOptions options{.checkpoint = folder / "part", .progress = nullptr};
  TwoParts parts;
  Campaign campaign = parts.campaign();
  campaign.summary = [](const std::vector<std::string>&) -> Result<std::string> {
    return Error(errors::cli_usage);
  };
  const auto results = run_campaign(campaign, options);
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().id(), errors::cli_usage);
  EXPECT_EQ(parts.worked, (std::vector<uint64_t>{0, 1}));
  EXPECT_TRUE(std::filesystem::exists(options.checkpoint));
}

TEST(Campaign, KeepsItsCheckpointUntilResultsAreMade) {
  const testing::TemporaryDirectory folder;
  const CampaignOptions options{.checkpoint = folder / "part", .progress = nullptr};
  std::vector<uint64_t> worked;
  Campaign campaign = squares(worked);
  campaign.conclude = [&](const std::vector<std::string>& lines) {
    EXPECT_EQ(lines.size(), 5u);
    EXPECT_TRUE(std::filesystem::exists(options.checkpoint));
    return Status(Error(errors::cli_usage));
  };
  EXPECT_FALSE(run_campaign(campaign, options).ok());
  EXPECT_TRUE(std::filesystem::exists(options.checkpoint));
  campaign.conclude = [](const std::vector<std::string>&) { return Status(); };
  EXPECT_TRUE(run_campaign(campaign, options).ok());
  EXPECT_EQ(worked.size(), 5u);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

}  // namespace
}  // namespace tputwin::tools

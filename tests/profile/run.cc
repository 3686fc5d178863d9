// The data of pictures of a run.
#include "insight/profile/profiled_run.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "insight/profile/summary.h"
#include "profile/synthetic.h"

namespace tputwin::insight::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

auto hold(uint32_t command, uint64_t address, uint64_t bytes, uint64_t begin, uint64_t end) {
  return ::testing::AllOf(::testing::Field(&Hold::command, command),
                          ::testing::Field(&Hold::address, address),
                          ::testing::Field(&Hold::bytes, bytes),
                          ::testing::Field(&Hold::begin, begin), ::testing::Field(&Hold::end, end));
}

TEST(Holds, LastUntilTheLastReader) {
  EXPECT_THAT(holds(three_commands()), ElementsAre(hold(0, 0, 16, 5, 25), hold(1, 16, 16, 15, 35)));
}

TEST(Holds, EndWhereAnotherWrites) {
  Timeline timeline = three_commands();
  timeline.commands[1].held[1] = {.access = Access::write, .lanes = 1, .begin = 4, .end = 8};
  timeline.commands[2].held[0] = {.access = Access::read, .lanes = 1, .begin = 8, .end = 12};
  EXPECT_THAT(holds(timeline), ElementsAre(hold(0, 4, 4, 5, 25), hold(0, 0, 4, 5, 25),
                                           hold(0, 8, 8, 5, 35), hold(1, 4, 4, 15, 25)));
}

TEST(Holds, NeedNoReader) {
  Timeline timeline = three_commands();
  timeline.commands.resize(1);
  EXPECT_THAT(holds(timeline), ElementsAre(hold(0, 0, 16, 5, 15)));
}

TEST(Engines, AreBusyOrWaitForSomething) {
  const std::vector<EngineUse> use = engine_use(three_commands());
  ASSERT_EQ(use.size(), 2u);
  EXPECT_EQ(use[0].engine, Engine::compute);
  EXPECT_EQ(use[0].busy, 10u);
  EXPECT_THAT(use[0].idle, ElementsAre(Pair(Delay::command, 15u)));
  EXPECT_EQ(use[1].busy, 20u);
  EXPECT_THAT(use[1].idle, ElementsAre(Pair(Delay::launch, 5u), Pair(Delay::command, 10u)));
}

TEST(Reasons, AreWhatTheTimeGoesTo) {
  Timeline timeline = three_commands();
  EXPECT_THAT(reasons(timeline), ElementsAre("bandwidth", "waits for dma", "bandwidth"));
  timeline.commands[1].end = 45;  // works longer than it waited
  EXPECT_EQ(reasons(timeline)[1], "bank conflicts");
}

TEST(Groups, AreRunsOfOneName) {
  Timeline timeline = three_commands();
  const std::vector<CommandRun> layers = layer_groups(timeline);
  ASSERT_EQ(layers.size(), 3u);  // b and a on the DMA, a on the tensor engine
  EXPECT_EQ(layers[0].name, "a");
  EXPECT_TRUE(call_groups(timeline).empty());  // two commands of one layer form no group
  timeline.commands[2].layer = "a";
  const std::vector<CommandRun> calls = call_groups(timeline);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].first, 0u);
  EXPECT_EQ(calls[0].last, 2u);
}

TEST(Peaks, AreThoseOfTheChip) {
  EXPECT_THAT(peaks(bm1880()), ElementsAre(::testing::Field(&Peak::macs_per_second, 512e9)));
  EXPECT_EQ(peaks(bm1684()).size(), 2u);
  EXPECT_EQ(peaks(bm1684x()).size(), 3u);
}

TEST(Summary, HasEnginesLayersAndOperations) {
  const Timeline timeline = three_commands();
  const std::string text = to_summary({"net.bmodel", timeline, {}});
  for (const char* part : {"net.bmodel on BM1880, predicted 0.000 ms, 3 commands in 1 launch\n",
                           "compute  28.6 % busy, 42.9 % for the other engine\n", "\n  layer ",
                           "\n  operation ", "\n  kernel "})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Summary, IsTheSameAsJson) {
  const Timeline timeline = three_commands();
  const auto json = nlohmann::json::parse(to_summary_json({"net.bmodel", timeline, {}}));
  EXPECT_EQ(json["title"], "net.bmodel");
  EXPECT_EQ(json["chip"], "BM1880");
  EXPECT_EQ(json["predicted_cycles"], timeline.cycles());
  EXPECT_EQ(json["commands"], 3);
  EXPECT_GT(json["engines"]["compute"]["idle_cycles"]["for the other engine"], 0);
  uint64_t cycles = 0, by_layer = 0;
  for (const TimelineCommand& command : timeline.commands) cycles += command.end - command.start;
  for (const auto& layer : json["layers"]) by_layer += layer["cycles"].get<uint64_t>();
  EXPECT_EQ(by_layer, cycles);
  EXPECT_FALSE(json["operations"].empty());
}

// The load and the computation of layer a overlap, so that it takes as long as one of them. A
// kernel takes as long as its launch, whatever its engines do.
TEST(Summary, RowsNeverExceedTheWhole) {
  Timeline timeline = three_commands();
  timeline.commands[1].start = 5;
  timeline.commands[1].end = 25;
  const auto json = nlohmann::json::parse(to_summary_json({"net.bmodel", timeline, {}}));
  EXPECT_EQ(json["layers"][0]["name"], "a");
  EXPECT_EQ(json["layers"][0]["cycles"], 20);
  EXPECT_EQ(json["layers"][1]["cycles"], 10);
  EXPECT_EQ(json["kernels"][0]["cycles"], 35);
  const std::string text = to_summary({"net.bmodel", timeline, {}});
  EXPECT_THAT(text,
              HasSubstr("  net                                        0.0   100.0         3"));
}

}  // namespace
}  // namespace tputwin::insight::testing

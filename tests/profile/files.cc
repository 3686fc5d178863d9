// Traces and pages of a timeline.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "insight/profile/page.h"
#include "insight/profile/page_template.h"
#include "insight/profile/trace.h"
#include "profile/synthetic.h"

namespace tputwin::insight::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Trace, HasSlicesArrowsAndCounters) {
  Timeline timeline = three_commands();
  const StackId stack = timeline.commands[0].stack = Stacks::of_process().capture();
  const json trace = json::parse(to_trace({"net", timeline, {{stack, "k (k.c:7)"}}}));
  std::map<std::string, std::vector<json>> by_kind;
  for (const json& event : trace["traceEvents"]) by_kind[event["ph"]].push_back(event);
  // a launch, three groups of layers, three commands
  ASSERT_EQ(by_kind["X"].size(), 7u);
  const json& load = by_kind["X"][4];
  EXPECT_EQ(load["name"], "load");
  EXPECT_NEAR(load["ts"].get<double>(), 0.005, 1e-9);
  EXPECT_NEAR(load["dur"].get<double>(), 0.010, 1e-9);
  EXPECT_EQ(load["args"]["line"], "k (k.c:7)");
  EXPECT_EQ(load["args"]["bytes"], 160);
  EXPECT_EQ(by_kind["s"].size(), 2u);
  EXPECT_EQ(by_kind["f"].size(), 2u);
  EXPECT_EQ(by_kind["f"][0]["id"], by_kind["s"][0]["id"]);
  std::map<std::string, std::vector<double>> counters;
  for (const json& event : by_kind["C"]) counters[event["name"]].push_back(event["args"]["value"]);
  EXPECT_THAT(counters["global memory GB/s"], ElementsAre(16, 0));
  EXPECT_THAT(counters["products G/s"], ElementsAre(5, 0));
  EXPECT_THAT(counters["local memory, bytes of a lane"], ElementsAre(16, 32, 16, 0));
}

// Slices of a track are nested or disjoint, as viewers require.
TEST(Trace, NestsSlices) {
  const Timeline timeline = three_commands();
  const json trace = json::parse(to_trace({"net", timeline, {}}));
  std::map<int, std::vector<std::pair<double, double>>> tracks;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X")
      tracks[event["tid"]].emplace_back(event["ts"],
                                        event["ts"].get<double>() + event["dur"].get<double>());
  for (const auto& [track, slices] : tracks)
    for (const auto& [begin, end] : slices)
      for (const auto& [other_begin, other_end] : slices) {
        const bool disjoint = end <= other_begin + 1e-9 || other_end <= begin + 1e-9;
        const bool inside = (begin >= other_begin - 1e-9 && end <= other_end + 1e-9) ||
                            (other_begin >= begin - 1e-9 && other_end <= end + 1e-9);
        EXPECT_TRUE(disjoint || inside) << track << ": " << begin << ", " << other_begin;
      }
}

TEST(Page, HasColumns) {
  Timeline timeline = three_commands();
  const StackId stack = timeline.commands[2].stack = Stacks::of_process().capture();
  const json data = page_data({"net", timeline, {{stack, "k (k.c:9)"}}});
  const json& commands = data["commands"];
  EXPECT_EQ(data["engines"], json({"compute", "dma"}));
  EXPECT_EQ(commands["engine"], json({1, 0, 1}));
  EXPECT_EQ(commands["begin"], json({5, 10, 10}));  // each relative to the previous one
  EXPECT_EQ(commands["time"], json({10, 10, 10}));
  EXPECT_EQ(data["names"][commands["layer"][2].get<size_t>()], "b");
  EXPECT_EQ(data["names"][commands["line"][2].get<size_t>()], "k (k.c:9)");
  EXPECT_EQ(data["launches"]["end"], json({35}));
  EXPECT_EQ(data["holds"]["from"], json({0, 16}));
  EXPECT_EQ(data["chip"]["peakMacs"], 512e9);
  EXPECT_FALSE(data["why"]["items"].empty());
  for (const auto& [name, column] : commands.items()) EXPECT_EQ(column.size(), 3u) << name;
}

// An operation has the name "</script>".
TEST(Page, NoNameEndsItsScript) {
  const Timeline timeline = three_commands();
  const std::string page = to_page({"net", timeline, {}}), open = R"(type="application/json">)";
  const size_t begin = page.find(open) + open.size();
  const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
  const json parsed = json::parse(data);
  EXPECT_EQ(parsed["names"][parsed["commands"]["op"][1].get<size_t>()], "</script>");
}

TEST(Page, LoadsNothing) {
  const std::string page = page_template();
  for (const char* part :
       {"<link rel=\"stylesheet", " src=", "@import", "url(http", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace tputwin::insight::testing

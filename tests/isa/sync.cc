// The sync ids of recorded sequences, recomputed from their scripts.
#include "isa/sync.h"

#include <gtest/gtest.h>

#include <sstream>

#include "isa/bm1880_codec.h"
#include "isa/golden.h"

namespace tputwin::isa {
namespace {

using Ids = SyncTracker::Ids;

Engine engine_of(const std::string& call) {
  return call == "load" || call == "store" || call == "lcopy" ? Engine::dma : Engine::compute;
}

// "load [ mul store ] lcopy": brackets are parallel_enable and parallel_disable.
std::vector<Ids> groups(const std::string& script) {
  SyncTracker tracker;
  std::istringstream words(script);
  for (std::string word; words >> word;) {
    if (word == "[" || word == "]" || word == "][") {
      if (word != "[") tracker.parallel_disable();
      if (word != "]") tracker.parallel_enable();
    } else {
      tracker.add(engine_of(word));
    }
  }
  return tracker.resolve();
}

// "0:load 1:mul dep(0,1) streams=2 destroy=1 copy"
std::vector<Ids> streams(const std::string& script) {
  SyncTracker tracker;
  tracker.create_streams(8);
  std::istringstream words(script);
  for (std::string word; words >> word;) {
    size_t before = 0, after = 0;
    if (word[1] == ':') {
      tracker.set_stream(static_cast<size_t>(word[0] - '0'));
      tracker.add(engine_of(word.substr(2)));
    } else if (std::sscanf(word.c_str(), "dep(%zu,%zu)", &before, &after) == 2) {
      tracker.add_dependency(before, after);
    } else if (word.find('=') == std::string::npos) {
      tracker.destroy_streams();
      tracker.add(Engine::compute);  // a copy; its name in the script is ignored
    }
  }
  return tracker.resolve();
}

std::vector<Ids> recorded(const std::vector<uint8_t>& cmdbuf) {
  std::vector<Ids> ids;
  auto program = decode_program(cmdbuf, bm1880());
  EXPECT_TRUE(program.ok());
  for (const Instruction& instruction : *program) ids.push_back({instruction.id, instruction.wait});
  return ids;
}

class Sync : public ::testing::TestWithParam<const char*> {};

TEST_P(Sync, RecordedIds) {
  std::string function = GetParam();
  bool grouped = function == "seq_serial" || function == "seq_parallel";
  for (const GoldenCase& golden : golden_cases(function)) {
    SCOPED_TRACE(golden.args);
    auto ids = grouped ? groups(golden.args) : streams(golden.args);
    auto expected = recorded(golden.cmdbuf);
    ASSERT_EQ(ids.size(), expected.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(ids[i].id, expected[i].id) << i;
      EXPECT_EQ(ids[i].wait, expected[i].wait) << i;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Recorded, Sync,
                         ::testing::Values("seq_serial", "seq_parallel", "seq_streams",
                                           "seq_dependency"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SyncTracker, CpuCommandEndsASegment) {
  SyncTracker tracker;
  tracker.add(Engine::dma);
  tracker.add(Engine::compute);
  tracker.add(Engine::cpu);
  tracker.add(Engine::compute);
  tracker.add(Engine::dma);
  EXPECT_EQ(tracker.resolve(), (std::vector<Ids>{{1, 0}, {1, 1}, {0, 0}, {1, 0}, {1, 1}}));
}

TEST(SyncTracker, NumbersStartAgainAfterTheLastThatFits) {
  SyncTracker tracker;
  for (uint32_t i = 0; i < kLastSequenceId; ++i) tracker.add(Engine::dma);
  tracker.add(Engine::compute);
  tracker.add(Engine::dma);
  auto ids = tracker.resolve();
  EXPECT_EQ(ids[kLastSequenceId - 1], (Ids{kLastSequenceId, 0}));
  EXPECT_EQ(ids[kLastSequenceId], (Ids{1, 0}));  // the segment border orders it
  EXPECT_EQ(ids[kLastSequenceId + 1], (Ids{1, 1}));
}

TEST(SyncTracker, StreamsComeAfterEverythingIssuedBefore) {
  SyncTracker tracker;
  tracker.add(Engine::dma);
  tracker.create_streams(2);
  tracker.set_stream(1);
  tracker.add(Engine::compute);
  tracker.destroy_streams();
  tracker.add(Engine::dma);
  EXPECT_EQ(tracker.resolve(), (std::vector<Ids>{{1, 0}, {1, 1}, {2, 1}}));
}

}  // namespace
}  // namespace tputwin::isa

// Shadow: classes of lanes answer as one map for each lane does.
#include "insight/shadow/shadow.h"

#include <gtest/gtest.h>

#include <map>

#include "common/rng.h"

namespace tputwin::insight::testing {
namespace {

using tputwin::testing::RandomCases;
using tputwin::testing::Rng;

constexpr uint32_t kBytes = 48;

// One writer for each byte of each lane.
using Writers = std::map<std::pair<uint32_t, uint64_t>, CommandId>;

// Returns the same ranges in some lanes, sorted and merged.
std::vector<ByteRange> random_ranges(Rng& rng, const Chip& chip) {
  const uint32_t first = rng.below(chip.lanes), last = rng.range(first, chip.lanes - 1);
  const bool all = rng.coin();
  const uint64_t begin = rng.below(kBytes / 2), gap = kBytes / 2 + rng.below(kBytes / 4);
  std::vector<ByteRange> ranges;
  for (uint32_t lane = all ? 0 : first; lane <= (all ? chip.lanes - 1 : last); ++lane) {
    ranges.push_back({Space::local, lane, begin, begin + 1 + rng.below(2)});
    if (rng.chance(7, 8)) ranges.push_back({Space::local, lane, gap, gap + 4});
  }
  return ranges;
}

Writers writers_in(const Shadow& shadow, const Chip& chip) {
  Writers writers;
  std::vector<ByteRange> whole;
  for (uint32_t lane = 0; lane < chip.lanes; ++lane)
    whole.push_back({Space::local, lane, 0, kBytes});
  shadow.look(whole, [&](const Touched& t, const LaneBytes& bytes) {
    std::vector<ByteRange> ranges;
    bytes.append_to(ranges);
    for (const ByteRange& range : ranges)
      for (uint64_t at = range.begin; at < range.end; ++at) writers[{range.lane, at}] = t.writer;
  });
  return writers;
}

TEST(Shadow, AnswersAsOneMapForEachLane) {
  const RandomCases cases(10);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Chip& chip = bm1684x();
    Shadow shadow(chip);
    Writers expected;
    for (uint32_t lane = 0; lane < chip.lanes; ++lane)
      for (uint64_t at = 0; at < kBytes; ++at) expected[{lane, at}] = 0;
    for (CommandId id = 1; id < 200; ++id) {
      const std::vector<ByteRange> ranges = random_ranges(rng, chip);
      shadow.update(ranges, [&](Touched& t, const LaneBytes&) { t.writer = id; });
      for (const ByteRange& range : ranges)
        for (uint64_t at = range.begin; at < range.end; ++at) expected[{range.lane, at}] = id;
      shadow.join_classes();
      if (id % 20 == 0) {
        ASSERT_EQ(writers_in(shadow, chip), expected);
      }
    }
  }
}

TEST(Shadow, JoinsLanesThatBecomeEqual) {
  const Chip& chip = bm1684x();
  Shadow shadow(chip);
  const auto pieces = [&] {
    size_t count = 0;
    std::vector<ByteRange> byte_of_all;
    for (uint32_t lane = 0; lane < chip.lanes; ++lane)
      byte_of_all.push_back({Space::local, lane, 0, 1});
    shadow.look(byte_of_all, [&](const Touched&, const LaneBytes&) { ++count; });
    return count;
  };
  const auto write = [&](uint32_t lanes, CommandId id) {
    std::vector<ByteRange> ranges;
    for (uint32_t lane = 0; lane < lanes; ++lane) ranges.push_back({Space::local, lane, 0, 1});
    shadow.update(ranges, [&](Touched& t, const LaneBytes&) { t.writer = id; });
  };
  EXPECT_EQ(pieces(), 1u);
  write(5, 1);
  EXPECT_EQ(pieces(), 2u);
  write(chip.lanes, 2);
  for (int i = 0; i < 100; ++i) shadow.join_classes();
  EXPECT_EQ(pieces(), 1u);
}

}  // namespace
}  // namespace tputwin::insight::testing

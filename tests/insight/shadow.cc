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

struct Bytes {
  uint64_t begin, end;
};

// Returns rows at a distance, some of them side by side.
std::vector<Bytes> random_rows(Rng& rng, uint64_t most) {
  std::vector<Bytes> rows;
  uint64_t at = rng.below(most);
  for (uint64_t count = rng.below(60); count > 0; --count) {
    const uint64_t end = at + rng.below(9);
    if (end > most) break;
    rows.push_back({at, end});
    at = end + (rng.chance(1, 10) ? rng.below(300) : 1 + rng.below(6));
  }
  return rows;
}

// Values of single bytes in plain memory are the reference. Two maps of the same values are equal,
// in whatever order they were assigned.
TEST(ByteMap, HoldsOneValueForEachByte) {
  constexpr uint64_t kMost = 2000;
  const RandomCases cases(20);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    ByteMap<uint32_t> map;
    std::vector<uint32_t> expected(kMost);
    for (int step = 0; step < 150; ++step) {
      const std::vector<Bytes> rows = random_rows(rng, kMost);
      const auto value = static_cast<uint32_t>(rng.below(4));  // 0: as never assigned
      std::vector<uint32_t> seen(kMost, UINT32_MAX);
      map.update(rows, [&](uint32_t& old, uint64_t begin, uint64_t end) {
        std::fill(seen.begin() + begin, seen.begin() + end, old);
        old = value;
      });
      for (const auto& [begin, end] : rows)
        for (uint64_t at = begin; at < end; ++at) {
          ASSERT_EQ(seen[at], expected[at]) << at;
          expected[at] = value;
        }
    }
    std::vector<uint32_t> looked;
    map.look(0, kMost, [&](uint32_t value, uint64_t begin, uint64_t end) {
      ASSERT_EQ(begin, looked.size());
      looked.resize(end, value);
    });
    EXPECT_EQ(looked, expected);
    ByteMap<uint32_t> same;
    for (uint64_t at = 0; at < kMost; ++at) same.assign(at, at + 1, expected[at]);
    EXPECT_TRUE(map == same);
    same.assign(7, 8, 9);
    EXPECT_FALSE(map == same);
  }
}

}  // namespace
}  // namespace tputwin::insight::testing

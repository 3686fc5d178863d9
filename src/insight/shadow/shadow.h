// Shadow: of each byte of a device's memories, the last writer, the last readers, and whether its
// value is undefined.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "chip/chip.h"
#include "insight/history.h"
#include "insight/shadow/byte_map.h"
#include "insight/shadow/traces.h"

namespace tputwin::insight {

struct Touched {
  CommandId writer = 0;
  TraceId trace = 0;  // of an undefined value, NaN or infinity
  // Since the last write, the newest reader of each engine.
  std::array<CommandId, 3> readers{};
  bool operator==(const Touched&) const = default;
};

// LaneBytes: the same bytes of several lanes, or bytes of a system memory.
struct LaneBytes {
  Space space;
  uint64_t lanes;  // bit i: lane i; 1 for a system memory
  uint64_t begin, end;
  // Appends one range for each lane.
  void append_to(std::vector<ByteRange>& ranges) const;
};

// Lanes with equal contents are a class with one map. Most commands touch the same bytes of all
// lanes, so there are few classes.
class Shadow {
 public:
  explicit Shadow(const Chip& chip);

  // Calls change(touched, bytes) for the pieces of ranges that are sorted and merged.
  template <class Change>
  void update(std::span<const ByteRange> ranges, Change change) {
    for_each_group(ranges, [&](uint64_t lanes, std::span<const ByteRange> group) {
      const Space space = group.front().space;
      if (space != Space::local)
        return update(system_[static_cast<size_t>(space)], {space, 1, 0, 0}, group, change);
      separate(lanes);
      for (LaneClass& of : classes_)
        if ((of.lanes & lanes) != 0) update(of.map, {space, of.lanes, 0, 0}, group, change);
    });
  }
  template <class Change>
  void update(const ByteRange& range, Change change) {
    update(std::span(&range, 1), change);
  }
  // Calls look(touched, bytes) for the pieces, as update() without changes.
  template <class Look>
  void look(std::span<const ByteRange> ranges, Look look) const {
    for_each_group(ranges, [&](uint64_t lanes, std::span<const ByteRange> group) {
      const Space space = group.front().space;
      if (space != Space::local)
        return visit(system_[static_cast<size_t>(space)], {space, 1, 0, 0}, group, look);
      for (const LaneClass& of : classes_)
        if ((of.lanes & lanes) != 0) visit(of.map, {space, of.lanes & lanes, 0, 0}, group, look);
    });
  }
  template <class Look>
  void look(const ByteRange& range, Look f) const {
    look(std::span(&range, 1), f);
  }

  // Marks bytes of the range that were never written as written by `id`. An external pointer may
  // have written them.
  void fill(const ByteRange& range, CommandId id);
  // Calls fill() for all bytes of local memory, L2-SRAM and DTCM.
  void fill_chip(CommandId id);
  // Joins classes whose contents have become equal. For calls after each command.
  void join_classes();

 private:
  using Map = ByteMap<Touched>;
  struct LaneClass {
    uint64_t lanes;
    Map map;
  };

  // Splits classes so that each is in `lanes` or outside.
  void separate(uint64_t lanes);
  // Calls f(lanes, ranges) for ranges that several lanes have in common.
  template <class F>
  static void for_each_group(std::span<const ByteRange> ranges, F f);
  template <class Change>
  static void update(Map& map, LaneBytes bytes, std::span<const ByteRange> ranges, Change& change) {
    map.update(ranges, [&](Touched& t, uint64_t begin, uint64_t end) {
      bytes.begin = begin;
      bytes.end = end;
      change(t, bytes);
    });
  }
  template <class Look>
  static void visit(const Map& map, LaneBytes bytes, std::span<const ByteRange> ranges,
                    Look& look) {
    for (const ByteRange& range : ranges)
      map.look(range.begin, range.end, [&](const Touched& t, uint64_t begin, uint64_t end) {
        bytes.begin = begin;
        bytes.end = end;
        look(t, bytes);
      });
  }

  const Chip& chip_;
  std::vector<LaneClass> classes_;
  std::array<Map, 4> system_;  // by enum Space
  uint32_t commands_ = 0;      // since classes were compared
};

template <class F>
void Shadow::for_each_group(std::span<const ByteRange> ranges, F f) {
  const auto is_of = [](const ByteRange& a, const ByteRange& b) {
    return a.space == b.space && a.lane == b.lane;
  };
  const auto lane_end = [&](size_t at) {
    size_t end = at;
    while (end < ranges.size() && is_of(ranges[end], ranges[at])) ++end;
    return end;
  };
  for (size_t at = 0; at < ranges.size();) {
    size_t end = lane_end(at);
    const std::span<const ByteRange> group = ranges.subspan(at, end - at);
    uint64_t lanes = 0;
    const auto is_same = [&](size_t next) {
      for (size_t i = 0; i < group.size(); ++i)
        if (ranges[next + i].begin != group[i].begin || ranges[next + i].end != group[i].end)
          return false;
      return true;
    };
    for (lanes = uint64_t{1} << ranges[at].lane; end < ranges.size(); end += group.size()) {
      const bool fits = lane_end(end) - end == group.size();
      if (!fits || ranges[end].space != group[0].space || !is_same(end)) break;
      lanes |= uint64_t{1} << ranges[end].lane;
    }
    f(lanes, group);
    at = end;
  }
}

}  // namespace tputwin::insight

// Races between commands of the two engines. Ranges are bounds of the bytes of an operand in any of
// its lanes: buffers of different contents do not overlap, so bounds are exact enough.
#include "bmnet/targets/bm1684x/wait_tracker.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {

std::vector<WaitTracker::Range> WaitTracker::ranges_of(const Operation& op) {
  std::vector<Range> ranges;
  for (const Operand& operand : operands(op)) {
    const TensorView& v = *operand.view;
    const Shape& s = v.shape;
    // Only the GDMA reaches other memories.
    if (v.space != Space::local) continue;
    const uint64_t lanes = chip().lanes, first_lane = v.address / chip().lane_bytes;
    const uint64_t rounds = (first_lane + s.c + lanes - 1) / lanes;
    const uint64_t begin = v.address % chip().lane_bytes;
    const uint64_t last = (s.n - uint64_t{1}) * v.stride.n + (rounds - 1) * v.stride.c +
                          (s.h - uint64_t{1}) * v.stride.h + (s.w - uint64_t{1}) * v.stride.w;
    ranges.push_back(
        {operand.access != Access::read, begin, begin + last + element_bytes(v.dtype)});
  }
  return ranges;
}

bool WaitTracker::conflict(const std::vector<Range>& a, const std::vector<Range>& b) {
  return std::ranges::any_of(a, [&](const Range& x) {
    return std::ranges::any_of(b, [&](const Range& y) {
      return (x.is_write || y.is_write) && x.begin < y.end && y.begin < x.end;
    });
  });
}

uint32_t WaitTracker::add(const Operation& op, Engine engine, uint32_t id) {
  Queue& own = queues_[engine == Engine::dma];
  Queue& other = queues_[engine != Engine::dma];
  Command command{id, ranges_of(op)};
  for (size_t i = other.commands.size(); i-- > 0;) {
    const Command& earlier = other.commands[i];
    if (!conflict(command.ranges, earlier.ranges)) continue;
    own.wait = earlier.id;
    // All commands of the other engine up to this one have ended.
    other.commands.erase(other.commands.begin(),
                         other.commands.begin() + static_cast<ptrdiff_t>(i) + 1);
    break;
  }
  own.commands.push_back(std::move(command));
  return own.wait;
}

}  // namespace tputwin::net::bm1684x

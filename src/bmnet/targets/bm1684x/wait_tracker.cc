// Races between commands of the two engines.
#include "bmnet/targets/bm1684x/wait_tracker.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {

LaneAccesses::LaneAccesses(const OperandList& operands) {
  for (const Operand& operand : operands) {
    const TensorView& v = *operand.view;
    if (v.space != Space::local) continue;
    const Shape& s = v.shape;
    const uint64_t lanes = chip().lanes, first_lane = v.address / chip().lane_bytes;
    const uint64_t rounds = (first_lane + s.c + lanes - 1) / lanes;
    const uint64_t begin = v.address % chip().lane_bytes;
    const uint64_t last = (s.n - uint64_t{1}) * v.stride.n + (rounds - 1) * v.stride.c +
                          (s.h - uint64_t{1}) * v.stride.h + (s.w - uint64_t{1}) * v.stride.w;
    const uint64_t end = std::min<uint64_t>(begin + last + element_bytes(v.dtype), UINT32_MAX);
    ranges_[count_++] = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                         operand.access != Access::read};
  }
}

bool LaneAccesses::conflicts_with(const LaneAccesses& other) const {
  return std::any_of(begin(), end(), [&](const Range& x) {
    return std::any_of(other.begin(), other.end(), [&](const Range& y) {
      return (x.is_write || y.is_write) && x.begin < y.end && y.begin < x.end;
    });
  });
}

uint32_t WaitTracker::add(const LaneAccesses& accesses, Engine engine, uint32_t id) {
  Queue& own = queues_[engine == Engine::dma];
  Queue& other = queues_[engine != Engine::dma];
  for (size_t i = other.commands.size(); i-- > 0;) {
    const Command& earlier = other.commands[i];
    if (!accesses.conflicts_with(earlier.accesses)) continue;
    own.wait = earlier.id;
    // All commands of the other engine up to this one have ended.
    other.commands.erase(other.commands.begin(),
                         other.commands.begin() + static_cast<ptrdiff_t>(i) + 1);
    break;
  }
  own.commands.push_back({id, accesses});
  return own.wait;
}

}  // namespace tputwin::net::bm1684x

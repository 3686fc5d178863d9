// Roots and steps of traces.
#include "insight/shadow/traces.h"

#include <algorithm>
#include <utility>

namespace tputwin::insight {

TraceId Traces::add_root(Root root, const Key& key) {
  constexpr uint32_t kMostEqual = 64;
  Equal& equal = equal_[key];
  if (equal.count == kMostEqual) return equal.last;
  ++equal.count;
  steps_.push_back({static_cast<uint32_t>(roots_.size()), 0, root.command});
  roots_.push_back(std::move(root));
  equal.last = static_cast<TraceId>(steps_.size());
  return equal.last;
}

TraceId Traces::pass(TraceId from, CommandId command) {
  roots_[steps_[from - 1].root].is_passed_on = true;
  // The root command makes no step of its own.
  if (steps_[from - 1].command == command) return from;
  steps_.push_back({steps_[from - 1].root, from, command});
  return static_cast<TraceId>(steps_.size());
}

std::vector<CommandId> Traces::way(TraceId trace) const {
  std::vector<CommandId> way;
  for (; steps_[trace - 1].from != 0; trace = steps_[trace - 1].from)
    way.push_back(steps_[trace - 1].command);
  std::ranges::reverse(way);
  return way;
}

}  // namespace tputwin::insight

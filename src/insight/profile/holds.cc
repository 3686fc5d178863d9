// Holds: the bytes of local memory that commands occupy, and for how long.
#include <algorithm>
#include <iterator>
#include <map>

#include "insight/profile/profiled_run.h"

namespace tputwin::insight {
namespace {

// The written bytes of a lane, with their writers and last reads. All lanes are treated as one:
// bytes at equal addresses of different lanes replace each other.
class LaneBytes {
 public:
  LaneBytes(const Timeline& timeline, std::vector<Hold>& done) : timeline_(timeline), done_(done) {}

  void read(const Held& held, uint64_t until) {
    for (auto it = first(held.begin); it != parts_.end() && it->first < held.end; ++it)
      it->second.read_until = std::max(it->second.read_until, until);
  }

  void write(const Held& held, uint32_t command) {
    if (held.begin >= held.end) return;
    split(held.begin);
    split(held.end);
    const auto from = parts_.lower_bound(held.begin), to = parts_.lower_bound(held.end);
    for (auto it = from; it != to; ++it) finish(it->first, it->second);
    parts_.erase(from, to);
    parts_[held.begin] = {held.end, command, 0};
  }

  void finish_all() {
    for (const auto& [begin, part] : parts_) finish(begin, part);
  }

 private:
  struct Part {
    uint64_t end;
    uint32_t command;
    uint64_t read_until;
  };
  using Parts = std::map<uint64_t, Part>;

  // Returns the first part that ends after a byte.
  Parts::iterator first(uint64_t byte) {
    auto it = parts_.upper_bound(byte);
    if (it != parts_.begin() && std::prev(it)->second.end > byte) --it;
    return it;
  }
  void split(uint64_t at) {
    const auto it = first(at);
    if (it == parts_.end() || it->first >= at) return;
    Part tail = it->second;
    it->second.end = at;
    parts_.emplace(at, tail);
  }
  void finish(uint64_t begin, const Part& part) {
    const TimelineCommand& writer = timeline_.commands[part.command];
    const uint64_t end = std::max(writer.end, part.read_until);
    // Joins parts that were split and are still neighbours.
    if (!done_.empty()) {
      Hold& last = done_.back();
      if (last.command == part.command && last.end == end && last.address + last.bytes == begin) {
        last.bytes += part.end - begin;
        return;
      }
    }
    done_.push_back({part.command, begin, part.end - begin, writer.start, end});
  }

  const Timeline& timeline_;
  std::vector<Hold>& done_;
  Parts parts_;
};

}  // namespace

std::vector<Hold> holds(const Timeline& timeline) {
  std::vector<Hold> all;
  LaneBytes lane(timeline, all);
  for (uint32_t i = 0; i < timeline.commands.size(); ++i) {
    const TimelineCommand& command = timeline.commands[i];
    for (const Held& held : command.held)
      if (held.space == Space::local && held.access != Access::write) lane.read(held, command.end);
    for (const Held& held : command.held)
      if (held.space == Space::local && held.access != Access::read) lane.write(held, i);
  }
  lane.finish_all();
  std::ranges::stable_sort(all, {}, &Hold::begin);
  return all;
}

}  // namespace tputwin::insight

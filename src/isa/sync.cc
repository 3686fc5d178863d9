// Numbers the commands of each engine, and finds the last command of the other engine to wait for.
#include "isa/sync.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tputwin::isa {
namespace {

size_t index(Engine engine) { return static_cast<size_t>(engine); }

}  // namespace

SyncTracker::Node SyncTracker::add(Engine engine) {
  Node node = engines_.size();
  engines_.push_back(engine);
  if (engine == Engine::cpu) {
    latest_ = group_ = {};
    std::ranges::fill(streams_, std::nullopt);
    return node;
  }
  if (!parallel_ && streams_.empty()) group_ = latest_;
  if (auto before = predecessor(other(engine)))
    edges_.push_back({*before, node, std::exchange(after_streams_[index(engine)], false)});
  if (!streams_.empty()) streams_[current_stream_] = node;
  latest_[index(engine)] = node;
  return node;
}

// Returns the command that the next one of the engine follows. In a stream it is the previous
// command of the stream, or the last one before the streams. Otherwise it is the last one before
// the group.
std::optional<SyncTracker::Node> SyncTracker::predecessor(Engine other) const {
  if (!streams_.empty() && streams_[current_stream_]) return streams_[current_stream_];
  return group_[index(other)];
}

void SyncTracker::begin_group(bool parallel) {
  if (!streams_.empty()) return;
  parallel_ = parallel;
  group_ = latest_;
}

void SyncTracker::create_streams(size_t count) {
  begin_group(false);
  streams_.assign(count, std::nullopt);
  current_stream_ = 0;
}

void SyncTracker::destroy_streams() {
  streams_.clear();
  begin_group(false);
  after_streams_.fill(true);
}

std::vector<size_t> SyncTracker::number(std::vector<Ids>& ids) const {
  std::vector<size_t> segments(size());
  std::array<uint32_t, 3> issued{};
  size_t segment = 0;
  for (Node node = 0; node < size(); ++node) {
    segments[node] = segment;
    bool border = engines_[node] == Engine::cpu;
    if (!border) {
      ids[node].id = ++issued[index(engines_[node])];
      border = ids[node].id == kLastSequenceId;
    }
    if (border) {
      issued = {};
      ++segment;
    }
  }
  return segments;
}

// Only the earliest follower on the other engine waits for a command, because later commands there
// follow that one anyway.
std::vector<SyncTracker::Ids> SyncTracker::resolve() const {
  std::vector<Ids> ids(size());
  std::vector<size_t> segments = number(ids);
  auto counts = [&](const Edge& e) {
    return engines_[e.after] == other(engines_[e.before]) &&
           segments[e.before] == segments[e.after];
  };
  std::vector<Node> earliest(size(), std::numeric_limits<Node>::max());
  for (const Edge& e : edges_)
    if (counts(e)) earliest[e.before] = std::min(earliest[e.before], e.after);
  for (const Edge& e : edges_)
    if (counts(e) && (e.always || earliest[e.before] == e.after))
      ids[e.after].wait = std::max(ids[e.after].wait, ids[e.before].id);
  return ids;
}

}  // namespace tputwin::isa

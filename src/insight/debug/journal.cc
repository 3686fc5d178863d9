// Journal: segments of entries, and their merging when they exceed the memory limit.
#include "insight/debug/journal.h"

#include <algorithm>

namespace tputwin::debug {
namespace {

// Number of segments within the limit, while they keep all overwritten bytes.
constexpr uint64_t kSegments = 16;
constexpr size_t kMostEntries = 4096;     // in a segment
constexpr size_t kFewestCheckpoints = 8;  // kept before the oldest is dropped

}  // namespace

Journal::Journal(const Memory& memory, const Chip& chip, uint64_t most_bytes)
    : memory_(memory), chip_(chip), most_bytes_(most_bytes) {}

uint64_t Journal::Segment::cost() const {
  uint64_t sum = checkpoint.cost();
  for (const Entry& entry : entries) sum += entry.cost();
  return sum;
}

Journal::Segment& Journal::segment(Moment moment) {
  return *std::prev(std::ranges::upper_bound(segments_, moment, {}, &Segment::first));
}

Entry& Journal::entry(Moment moment) {
  Segment& of = segment(moment);
  return of.entries[moment - of.first];
}

const Entry& Journal::at(Moment moment) const { return const_cast<Journal*>(this)->entry(moment); }

Moment Journal::of_command(uint64_t number) const {
  Moment low = first(), high = end_;
  // Finds the first entry of that number or a later one.
  while (low < high) {
    const Moment middle = low + (high - low) / 2;
    if (at(middle).number < number)
      low = middle + 1;
    else
      high = middle;
  }
  // entries of the host have the number of the command before
  return low < end_ && at(low).number == number && at(low).is_command() ? low : end_;
}

std::vector<ByteRange> Journal::writes(Moment moment) const {
  const Entry& entry = at(moment);
  if (entry.is_command()) return footprint(entry.instruction->op, chip_).writes;
  return {entry.after.ranges().begin(), entry.after.ranges().end()};
}

void Journal::append(Entry entry) {
  settle();
  if (segments_.empty() || segments_.back().entries.size() >= kMostEntries ||
      newest_bytes_ > most_bytes_ / kSegments) {
    segments_.push_back({.first = end_});
    newest_bytes_ = 0;
  }
  if (!entry.is_command()) unsettled_.push_back(end_);
  newest_bytes_ += entry.cost();
  bytes_ += entry.cost();
  segments_.back().entries.push_back(std::move(entry));
  ++end_;
  keep_bound();
}

void Journal::settle() {
  for (const Moment moment : unsettled_) {
    if (moment < first()) continue;
    Entry& written = entry(moment);
    if (!written.after.ranges().empty()) continue;
    written.after =
        Patch(memory_, {written.before.ranges().begin(), written.before.ranges().end()});
    bytes_ += written.after.cost();
    newest_bytes_ += written.after.cost();
  }
  unsettled_.clear();
}

void Journal::go_to(Moment moment) {
  settle();
  moment = std::clamp(moment, first(), end_);
  while (now_ > moment) step_back(moment);
  for (; now_ < moment; ++now_) redo(at(now_));
}

// Goes back to `target` or to the begin of the segment. A merged segment has only a checkpoint, so
// it is undone as a whole.
void Journal::step_back(Moment target) {
  Segment& of = segment(now_ - 1);
  if (of.is_merged) {
    of.checkpoint.apply(memory_);
    now_ = of.first;
    return;
  }
  const Moment to = std::max(target, of.first);
  for (; now_ > to; --now_) of.entries[now_ - 1 - of.first].before.apply(memory_);
}

// Writes of the host within a CPU command are entries of their own, so CPU commands are not
// repeated.
void Journal::redo(const Entry& entry) {
  if (!entry.is_command())
    entry.after.apply(memory_);
  else if (!std::holds_alternative<CpuCall>(entry.instruction->op))
    execute(entry.instruction->op, memory_);
}

// ---- The memory limit ----

void Journal::keep_bound() {
  while (bytes_ > most_bytes_) {
    const auto detailed = std::ranges::find(segments_, false, &Segment::is_merged);
    const auto merged = static_cast<size_t>(detailed - segments_.begin());
    if (segments_.end() - detailed > 1) {
      merge(*detailed);
    } else if (merged > kFewestCheckpoints) {
      join_smallest(merged);
    } else {
      bytes_ -= segments_.front().cost();
      segments_.pop_front();
    }
  }
}

void Journal::merge(Segment& segment) {
  bytes_ -= segment.cost();
  std::vector<const Patch*> patches;
  for (const Entry& entry : segment.entries) patches.push_back(&entry.before);
  segment.checkpoint = Patch::first_of(patches);
  segment.checkpoint.pack();
  for (Entry& entry : segment.entries) {
    entry.before = {};
    entry.after.pack();
  }
  segment.is_merged = true;
  bytes_ += segment.cost();
}

// Joins two neighbours among the first `merged` segments, those with the fewest entries.
void Journal::join_smallest(size_t merged) {
  size_t best = 0;
  const auto size = [&](size_t i) {
    return segments_[i].entries.size() + segments_[i + 1].entries.size();
  };
  for (size_t i = 1; i + 1 < merged; ++i)
    if (size(i) < size(best)) best = i;
  Segment &older = segments_[best], &newer = segments_[best + 1];
  bytes_ -= older.cost() + newer.cost();
  const Patch* patches[] = {&older.checkpoint, &newer.checkpoint};
  older.checkpoint = Patch::first_of(patches);
  older.checkpoint.pack();
  std::ranges::move(newer.entries, std::back_inserter(older.entries));
  bytes_ += older.cost();
  segments_.erase(segments_.begin() + static_cast<ptrdiff_t>(best) + 1);
}

}  // namespace tputwin::debug

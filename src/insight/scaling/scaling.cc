// The model of parallel loops: a loop of `units` equal pieces takes as long as the thread with the
// most pieces, and a constant time to open and close it.
#include "insight/scaling/scaling.h"

#include <algorithm>
#include <map>

#include "base/thread_team.h"

namespace tputwin::insight {
namespace {

// Nanoseconds that opening and closing a loop takes, beyond those for each member. Measured on two
// processors; for more it is an estimate.
constexpr double kOpening = 300;

ThreadedTime predict_loop(const LoopTime& loop, unsigned threads) {
  const size_t units = (loop.count + loop.grain - 1) / loop.grain;
  const auto time = static_cast<double>(loop.nanoseconds);
  if (units < 2 || threads < 2) return {.serial = time};
  const size_t members = ThreadTeam::members_for(time, units, threads);
  if (members < 2) return {.serial = time};
  const size_t longest = (units + members - 1) / members;
  const double shared = time / static_cast<double>(members),
               whole = time * static_cast<double>(longest) / static_cast<double>(units);
  return {.shared = shared,
          .uneven = whole - shared,
          .opening = kOpening + ThreadTeam::kMemberTime * static_cast<double>(members)};
}

}  // namespace

ThreadedTime& ThreadedTime::operator+=(const ThreadedTime& other) {
  shared += other.shared;
  serial += other.serial;
  uneven += other.uneven;
  opening += other.opening;
  return *this;
}

ThreadedTime predict(const StepTime& step, unsigned threads) {
  ThreadedTime sum;
  uint64_t in_loops = 0;
  for (const LoopTime& loop : step.loops) {
    sum += predict_loop(loop, threads);
    in_loops += loop.nanoseconds;
  }
  sum.serial += static_cast<double>(step.nanoseconds - std::min(step.nanoseconds, in_loops));
  return sum;
}

namespace {

using Kinds = std::map<std::string_view, KindScaling>;

void add(Kinds& kinds, std::string_view name, const StepTime& step, const ThreadedTime& time) {
  KindScaling& kind = kinds[name];
  kind.name = name;
  ++kind.steps;
  kind.one_thread += static_cast<double>(step.nanoseconds);
  kind.threaded += time;
}

std::vector<KindScaling> sorted(Kinds kinds, unsigned threads) {
  std::vector<KindScaling> list;
  for (auto& [name, kind] : kinds) list.push_back(std::move(kind));
  std::ranges::stable_sort(list, std::greater<>(), [threads](const KindScaling& kind) {
    return kind.threaded.lost(kind.one_thread, threads);
  });
  return list;
}

}  // namespace

Scaling scaling(std::span<const StepTime> steps, unsigned threads) {
  Scaling result{.threads = threads};
  Kinds kinds, layers;
  for (const StepTime& step : steps) {
    const ThreadedTime time = predict(step, threads);
    add(kinds, step.operation, step, time);
    if (!step.layer.empty()) add(layers, step.layer, step, time);
    result.one_thread += static_cast<double>(step.nanoseconds);
    result.threaded += time;
  }
  result.kinds = sorted(std::move(kinds), threads);
  result.layers = sorted(std::move(layers), threads);
  return result;
}

std::vector<StepTime> least_times(std::span<const std::vector<StepTime>> runs) {
  std::vector<StepTime> least = runs.front();
  const auto is_same = [](const StepTime& a, const StepTime& b) {
    return a.operation == b.operation && a.loops.size() == b.loops.size();
  };
  for (const std::vector<StepTime>& run : runs.subspan(1)) {
    if (!std::ranges::equal(run, least, is_same)) continue;
    for (size_t i = 0; i < run.size(); ++i)
      if (run[i].nanoseconds < least[i].nanoseconds) least[i] = run[i];
  }
  return least;
}

}  // namespace tputwin::insight

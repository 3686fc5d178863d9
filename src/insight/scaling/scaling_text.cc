// The table of predicted times by number of threads.
#include <fmt/format.h>

#include <algorithm>

#include "insight/scaling/scaling.h"

namespace tputwin::insight {
namespace {

constexpr double kMillisecond = 1e6;
std::string kind_line(const KindScaling& kind) {
  const ThreadedTime& time = kind.threaded;
  return fmt::format("{:<28}{:>6}{:>10.3f}{:>10.3f}{:>9.3f}{:>9.3f}{:>9.3f}\n",
                     kind.name.empty() ? "outside of steps" : kind.name, kind.steps,
                     kind.one_thread / kMillisecond, time.total() / kMillisecond,
                     time.serial / kMillisecond, time.uneven / kMillisecond,
                     time.opening / kMillisecond);
}

}  // namespace

std::vector<unsigned> thread_counts(unsigned threads) {
  constexpr unsigned kManyThreads = 64;
  std::vector<unsigned> counts;
  for (uint64_t count = 1; count < threads; count *= 2)
    counts.push_back(static_cast<unsigned>(count));
  counts.push_back(threads);
  if (threads < kManyThreads) counts.push_back(kManyThreads);
  return counts;
}

std::string scaling_text(std::span<const StepTime> steps, unsigned threads) {
  std::string text =
      fmt::format("account of one run on one thread, with loops cut as for {}:\n", threads);
  text += fmt::format("{:<12}{:>10}{:>10}\n", "threads", "ms", "speed-up");
  for (const unsigned count : thread_counts(threads)) {
    const Scaling predicted = scaling(steps, count);
    text +=
        fmt::format("{:<12}{:>10.3f}{:>10.2f}\n", count, predicted.threaded.total() / kMillisecond,
                    predicted.one_thread / predicted.threaded.total());
  }
  const Scaling predicted = scaling(steps, threads);
  text += fmt::format("on {} thread{}, the kinds of steps that lose most first:\n", threads,
                      threads == 1 ? "" : "s");
  for (const auto& [name, list] :
       {std::pair("step", &predicted.kinds), {"layer", &predicted.layers}}) {
    if (list->empty()) continue;
    text += fmt::format("{:<28}{:>6}{:>10}{:>10}{:>9}{:>9}{:>9}\n", name, "count", "1 thread", "ms",
                        "serial", "uneven", "opening");
    for (const KindScaling& kind : *list)
      if (kind.one_thread != 0) text += kind_line(kind);
  }
  return text;
}

}  // namespace tputwin::insight

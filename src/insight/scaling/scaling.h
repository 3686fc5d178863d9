// Predicts from a run on one thread how long the same run takes on several threads, and finds the
// steps that hold it back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/step_recorder.h"

namespace tputwin::insight {

// The time of some steps on a number of threads, in nanoseconds, by cause. The sum is the time.
struct ThreadedTime {
  double shared = 0;   // work of loops, in equal parts
  double serial = 0;   // outside of loops, and loops that are one piece
  double uneven = 0;   // waiting at the end of loops, because pieces do not divide evenly
  double opening = 0;  // bringing the threads to loops, and waiting until they have left

  double total() const { return shared + serial + uneven + opening; }
  // Returns the time beyond an equal share of the same work for each thread.
  double lost(double one_thread, unsigned threads) const { return total() - one_thread / threads; }
  ThreadedTime& operator+=(const ThreadedTime& other);
};

ThreadedTime predict(const StepTime& step, unsigned threads);

// The steps of one operation, or of one layer.
struct KindScaling {
  std::string name;  // empty: outside of steps
  size_t steps = 0;
  double one_thread = 0;  // nanoseconds
  ThreadedTime threaded;
};

struct Scaling {
  unsigned threads = 1;
  double one_thread = 0;  // nanoseconds
  ThreadedTime threaded;
  std::vector<KindScaling> kinds;   // what loses most comes first
  std::vector<KindScaling> layers;  // likewise; empty if the file of the network names none
};

Scaling scaling(std::span<const StepTime> steps, unsigned threads);

// Returns for each step the least times of several runs, which must have the same steps. Runs with
// other steps than the first are left out.
std::vector<StepTime> least_times(std::span<const std::vector<StepTime>> runs);

// Returns 1, 2, 4, ... below `threads`, then `threads`, and 64 if that is more.
std::vector<unsigned> thread_counts(unsigned threads);

// Returns the table of `tputwin run --account`: predictions for thread_counts(), and the kinds of
// steps for `threads`, with the layers where they are known.
std::string scaling_text(std::span<const StepTime> steps, unsigned threads);

}  // namespace tputwin::insight

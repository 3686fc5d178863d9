// Times of the steps of a model's planned programs, on one thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error.h"
#include "machine/step_recorder.h"
#include "tools/reports/json.h"

namespace tputwin::tools {

// The number of threads that a recorded run cuts its loops for, and the number that runs after it
// use (0: the default).
struct RecordedThreads {
  unsigned recorded, later;
};

// Runs the model some times, after runs that make and warm its plans, and returns the least times.
Result<std::vector<StepTime>> recorded_steps(const RecordedThreads& threads,
                                             const std::function<Status()>& run);

// Returns the member "account" of `tputwin run --json`.
Json account_json(std::span<const StepTime> steps, unsigned threads);

}  // namespace tputwin::tools

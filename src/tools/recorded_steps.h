// Times of the steps of a model's planned programs, on one thread.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmodel/bmodel.h"
#include "machine/step_recorder.h"
#include "tools/reports/json.h"

namespace tputwin::tools {

// The number of threads that a recorded run cuts its loops for, and the number that runs after it
// use (0: the default).
struct RecordedThreads {
  unsigned recorded, later;
};

// Runs the model some times, after runs that make and warm its plans, and returns the least times.
// `layer_of` names the layers of instructions.
Result<std::vector<StepTime>> recorded_steps(const RecordedThreads& threads,
                                             const StepRecorder::LayerOf& layer_of,
                                             const std::function<Status()>& run);

// Finds the layers of instructions of a program, whose numbers may begin again.
class LayerFinder {
 public:
  // `layers` follow the order of the program. Its owner keeps the names.
  LayerFinder(std::span<const Instruction> program, const bmodel::LayerRuns& layers);
  // Returns the layer of the instruction with this number that is nearest to the one before; empty
  // if the file names none.
  std::string_view operator()(const Instruction& instruction);

 private:
  struct Number {
    Engine engine;
    uint32_t id;
    bool operator==(const Number&) const = default;
  };
  std::vector<Number> numbers_;
  std::vector<std::string_view> names_;
  size_t last_ = 0;
};

// Returns the member "account" of `tputwin run --json`.
Json account_json(std::span<const StepTime> steps, unsigned threads);

}  // namespace tputwin::tools

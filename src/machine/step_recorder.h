// Measures the steps of planned programs, and their parallel loops, one thread for each step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop_recorder.h"
#include "ops/instruction.h"

namespace tputwin {

// Describes a step, or the time between steps if `operation` is empty.
struct StepTime {
  std::string_view operation;
  uint64_t nanoseconds = 0;
  std::vector<LoopTime> loops;
  std::string layer = {};  // of the network; empty: unknown
};

// While a recorder is in force, devices of the process run planned programs without workers. Only
// one device may run.
class StepRecorder {
 public:
  // Returns the layer of an instruction that this thread executes.
  using LayerOf = std::function<std::string_view(const Instruction&)>;
  explicit StepRecorder(LayerOf layer_of = {});
  ~StepRecorder();
  StepRecorder(const StepRecorder&) = delete;

  // Returns the recorder of the process, or nullptr.
  static StepRecorder* current();

  // Runs a step of the device, and records its time.
  void run(const Instruction& instruction, const std::function<void()>& step);
  // Returns the steps since the last call, and the time between them. Every run of the same
  // programs has the same steps in the same order.
  std::vector<StepTime> take();

 private:
  void close(std::string_view operation, std::vector<LoopTime> loops, std::string layer = {});

  const LayerOf layer_of_;
  uint64_t last_;  // the end of the last step, in nanoseconds
  std::vector<StepTime> steps_;
};

}  // namespace tputwin

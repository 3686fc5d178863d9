// Takes the time at the ends of steps.
#include "machine/step_recorder.h"

#include <atomic>
#include <chrono>
#include <utility>

namespace tputwin {
namespace {

std::atomic<StepRecorder*> recorder_of_process{nullptr};

uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

StepRecorder::StepRecorder(LayerOf layer_of) : layer_of_(std::move(layer_of)), last_(now()) {
  recorder_of_process = this;
}
StepRecorder::~StepRecorder() { recorder_of_process = nullptr; }
StepRecorder* StepRecorder::current() { return recorder_of_process.load(); }

void StepRecorder::close(std::string_view operation, std::vector<LoopTime> loops,
                         std::string layer) {
  const uint64_t time = now();
  steps_.push_back({operation, time - last_, std::move(loops), std::move(layer)});
  last_ = now();
}

void StepRecorder::run(const Instruction& instruction, const std::function<void()>& step) {
  close({}, {});
  LoopRecorder loops;
  step();
  close(name(instruction.op), loops.take(),
        layer_of_ ? std::string(layer_of_(instruction)) : std::string());
}

std::vector<StepTime> StepRecorder::take() {
  close({}, {});
  return std::exchange(steps_, {});
}

}  // namespace tputwin

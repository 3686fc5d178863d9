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

StepRecorder::StepRecorder() : last_(now()) { recorder_of_process = this; }
StepRecorder::~StepRecorder() { recorder_of_process = nullptr; }
StepRecorder* StepRecorder::current() { return recorder_of_process.load(); }

void StepRecorder::close(std::string_view operation, std::vector<LoopTime> loops) {
  const uint64_t time = now();
  steps_.push_back({operation, time - last_, std::move(loops)});
  last_ = now();
}

void StepRecorder::run(std::string_view operation, const std::function<void()>& step) {
  close({}, {});
  LoopRecorder loops;
  step();
  close(operation, loops.take());
}

std::vector<StepTime> StepRecorder::take() {
  close({}, {});
  return std::exchange(steps_, {});
}

}  // namespace tputwin

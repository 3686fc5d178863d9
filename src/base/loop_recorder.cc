// Runs loops inline, and measures them.
#include "base/loop_recorder.h"

#include <chrono>
#include <utility>

namespace tputwin {
namespace {

thread_local LoopRecorder* recorder_of_thread = nullptr;

}  // namespace

LoopRecorder::LoopRecorder() { recorder_of_thread = this; }
LoopRecorder::~LoopRecorder() { recorder_of_thread = nullptr; }
LoopRecorder* LoopRecorder::current() { return recorder_of_thread; }

void LoopRecorder::run(size_t count, size_t grain,
                       const std::function<void(size_t, size_t)>& function) {
  using Clock = std::chrono::steady_clock;
  if (is_inside_) return function(0, count);
  is_inside_ = true;
  const auto start = Clock::now();
  try {
    function(0, count);
  } catch (...) {
    is_inside_ = false;
    throw;
  }
  const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
  is_inside_ = false;
  loops_.push_back({count, grain == 0 ? 1 : grain, static_cast<uint64_t>(time.count())});
}

std::vector<LoopTime> LoopRecorder::take() { return std::exchange(loops_, {}); }

}  // namespace tputwin

// Measures what the parallel loops of a thread do, on that thread alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tputwin {

// A loop of parallel_for: its iterations, the smallest piece that it may be cut into, and the time
// that one thread took for all.
struct LoopTime {
  size_t count = 0, grain = 0;
  uint64_t nanoseconds = 0;
};

// While a recorder is in force, loops of its thread run inline, and loops inside them are not
// recorded. thread_count() stays as it is, so loops are cut as for that many threads.
class LoopRecorder {
 public:
  LoopRecorder();
  ~LoopRecorder();
  LoopRecorder(const LoopRecorder&) = delete;

  // Returns the recorder of this thread, or nullptr.
  static LoopRecorder* current();

  void run(size_t count, size_t grain, const std::function<void(size_t, size_t)>& function);
  // Returns the loops since the last call, in the order in which they ended.
  std::vector<LoopTime> take();

 private:
  std::vector<LoopTime> loops_;
  bool is_inside_ = false;
};

}  // namespace tputwin

// Restores constant operands for kernels that read them again.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace tputwin::fast {

// Calls a function that writes constants back to their operands, at most once a run. Constants that
// are packed may be missing in memory.
class ConstantRestorer {
 public:
  // Sets the function. Without one, memory holds all constants.
  void restore_by(std::function<void()> restore) { restore_ = std::move(restore); }
  void begin_run() { is_restored_ = false; }
  // Must be called before a result is computed from the operands themselves. Threads may call it
  // concurrently.
  void restore() const {
    std::lock_guard lock(mutex_);
    if (restore_ && !is_restored_) restore_();
    is_restored_ = true;
  }

 private:
  std::function<void()> restore_;
  mutable std::mutex mutex_;
  mutable bool is_restored_ = false;
};

}  // namespace tputwin::fast

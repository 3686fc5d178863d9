// The times of loops, in the order in which a program runs them.
#include "base/loop_history.h"

namespace tputwin {

void LoopHistory::Loop::measured(double unit_time) {
  if (unit_time == 0) return;
  constexpr double kWeight = 0.25;
  const bool is_less = unit_time_ == 0 || unit_time < unit_time_;
  unit_time_ = is_less ? unit_time : unit_time_ + kWeight * (unit_time - unit_time_);
}

LoopHistory::Loop& LoopHistory::next(const Key& key) {
  if (next_ == kMost) {
    beyond_ = Loop();
    return beyond_;
  }
  if (next_ == loops_.size()) loops_.emplace_back();
  Loop& loop = loops_[next_++];
  if (loop.key_ == key) return loop;
  loop = Loop();
  loop.key_ = key;
  return loop;
}

}  // namespace tputwin

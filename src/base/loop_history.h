// Remembers how long the loops of a program took, so that each gets as many threads in the next run
// as its work is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin {

// Loops of one run are told apart by their order. A program that runs again runs the same loops.
class LoopHistory {
 public:
  // Identifies a loop: its function's type, its extent and its grain.
  struct Key {
    const void* function;
    size_t count, grain;
    bool operator==(const Key&) const = default;
  };
  class Loop {
   public:
    // Returns the nanoseconds that one unit of the loop takes, or 0 if that is not known.
    double unit_time() const { return unit_time_; }
    // Adds a measurement, unless it is 0. A shorter time counts at once, because longer ones have
    // many causes.
    void measured(double unit_time);

   private:
    friend class LoopHistory;
    Key key_{};
    double unit_time_ = 0;
  };

  // Begins with the first loop again.
  void restart() { next_ = 0; }
  // Returns the next loop. Valid until the next call. Forgets a loop of another key that was here.
  Loop& next(const Key& key);

 private:
  // Loops beyond this number share an entry, so their time is not known.
  static constexpr size_t kMost = 1 << 16;

  std::vector<Loop> loops_;
  size_t next_ = 0;
  Loop beyond_;
};

}  // namespace tputwin

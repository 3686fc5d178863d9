// ThreadTeam: the workers of a thread, and the loop that they share with it. One loop runs at a
// time. Each member has a fixed share, the corresponding part of every loop, so data of one loop
// are in its caches for the next. A member that has finished its share takes pieces of other
// shares. The thread never waits for a worker that has not taken a piece.
//
// Every cache line that members write in turn costs each of them about as much time as a hundred
// instructions. So a loop is published in one line, its shares are computed by those who take from
// them, and a loop of little work has few members: the others only see that they are not meant.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "base/loop_history.h"

namespace tputwin {

class ThreadTeam {
 public:
  using Pieces = std::function<void(size_t begin, size_t end)>;

  // Makes a team of a thread and threads - 1 workers.
  explicit ThreadTeam(int threads);
  ThreadTeam(const ThreadTeam&) = delete;
  int threads() const { return static_cast<int>(threads_); }
  void belong_to_this_thread() { owner_ = std::this_thread::get_id(); }
  // Returns the number of workers that were called and have not left.
  size_t members() const { return members_.load(); }

  // Returns the team of this thread, or nullptr if it has none.
  static ThreadTeam* current();
  static void set_current(ThreadTeam* team);
  // Returns true if this thread is inside a piece of a loop. Inner loops are not shared again.
  static bool in_piece();

  // Returns the number of members for a loop of `units` units that takes one thread `work`
  // nanoseconds, or 0 if that is not known.
  static size_t members_for(double work, size_t units, size_t threads);
  // Nanoseconds that each member adds to the time of a loop.
  static constexpr double kMemberTime = 150;

  // Calls `function` for disjoint pieces of [0, count), of at least `grain` each. The thread that
  // owns the team must call it, and takes part.
  void run(size_t count, size_t grain, const Pieces& function);
  // Opens the team for a program. Returns the number of workers to be called; each must call
  // help(). Workers of the previous program that have not left yet stay.
  size_t hire();
  // Makes workers leave soon. The thread does not wait for them, because on a busy machine they may
  // not run for milliseconds.
  void dismiss();
  // Serves loops until the team is dismissed. Does nothing on the thread that owns the team.
  void help();

 private:
  // Identifies a loop to members: the loops opened so far, how many members take part, and up to
  // which member parked ones are woken for it. Aligned, so that clang loads and stores it without
  // libatomic.
  struct alignas(8) Opening {
    uint32_t generation = 0;
    uint16_t members = 0, woken = 0;
    bool operator==(const Opening&) const = default;
  };
  // A loop as members see it. `count` iterations are `units` pieces of `unit` iterations at most.
  struct Loop {
    std::atomic<const Pieces*> function{nullptr};
    std::atomic<size_t> count{0}, unit{1};

    size_t units() const {
      const size_t step = unit.load();
      return (count.load() + step - 1) / step;
    }
  };
  // `left` has the units left in a member's share of a loop: the loop's generation in the upper 32
  // bits, then the end and the first unit. If the generation is older than the open loop's, the
  // share is still whole.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    // True if a member has this share. Share 0 belongs to the thread itself.
    std::atomic<bool> is_taken{false};
    std::atomic<uint32_t> is_parked{0};
  };
  struct Units {
    size_t begin = 0, end = 0;
    size_t count() const { return end - begin; }
    bool empty() const { return begin == end; }
  };
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

  // Number of units that a share can count.
  static constexpr size_t kMostUnits = UINT16_MAX;
  // `members` of an opening after dismissal.
  static constexpr uint16_t kDismissed = UINT16_MAX;

  uint16_t members_to_wake(double work, size_t unit, size_t units, uint16_t members);
  static double run_alone(size_t count, const Pieces& function);
  void open(size_t count, size_t unit, const Pieces& function);
  void renew_shares();
  void wait_for_end();
  Units take(size_t share, const Opening& opening, bool is_own);
  void run_units(const Loop& loop, const Units& units);
  double work_on_first();
  bool finish(size_t units);
  void work_on(size_t member, const Opening& opening);
  size_t become_member();
  void wake_below(size_t member, const Opening& opening);
  bool wake(size_t member);
  void yield_to_woken();
  void arrive();
  void park(size_t member, const Opening& seen);
  bool leave();
  bool add_member();

  const size_t threads_;
  std::atomic<std::thread::id> owner_;
  const std::unique_ptr<Share[]> shares_;  // of each member
  LoopHistory history_;
  double missed_ = 0;  // nanoseconds that more awake members would have saved
  Opening last_;       // the last one of a loop
  // `waited_for_` is the value of arrivals_ when the thread last yielded to woken workers.
  uint32_t waited_for_ = UINT32_MAX;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  // Loops take turns in two places: those who still read the previous one find it unchanged, or the
  // opening after it.
  alignas(64) std::atomic<Opening> opening_{Opening{}};
  Loop loops_[2];
  alignas(64) std::atomic<uint32_t> unfinished_{0};  // units of the open loop
  // `members_` counts workers that were called and have not left. `awake_` counts those of them
  // that are neither parked nor on their way.
  alignas(64) std::atomic<uint32_t> members_{0};
  std::atomic<uint32_t> awake_{0};
  std::atomic<uint32_t> arrivals_{0};  // total so far
  std::atomic<int> processor_{-1};     // of the thread itself
};

}  // namespace tputwin

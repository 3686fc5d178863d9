// ThreadTeam: the workers of a thread, and the loop that they share with it. One loop runs at a
// time. Each member has a fixed share, the corresponding part of every loop, so data of one loop
// are in its caches for the next. A member that has finished its share takes pieces of other
// shares. The thread never waits for a worker that has not taken a piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

namespace tputwin {

class ThreadTeam {
 public:
  using Pieces = std::function<void(size_t begin, size_t end)>;

  // Makes a team of a thread and threads - 1 workers.
  explicit ThreadTeam(int threads);
  ThreadTeam(const ThreadTeam&) = delete;
  int threads() const { return static_cast<int>(threads_); }
  void belong_to_this_thread() { owner_ = std::this_thread::get_id(); }

  // Returns the team of this thread, or nullptr if it has none.
  static ThreadTeam* current();
  static void set_current(ThreadTeam* team);
  // Returns true if this thread is inside a piece of a loop. Inner loops are not shared again.
  static bool in_piece();

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
  // `left` has the units left in a member's share of the loop, each of `unit_` iterations. The
  // lower 32 bits hold the first unit, the upper 32 bits the end.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    // True if a member has this share. Share 0 belongs to the thread itself.
    std::atomic<bool> is_taken{false};
  };
  struct Units {
    uint32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };
  static Units take(Share& share, bool is_own);
  void share_out(size_t count, size_t grain);
  void work(size_t member);
  size_t become_member();
  void wake_workers(size_t units);
  void arrive();
  bool leave();

  static constexpr uint32_t kOver = UINT32_MAX;
  const size_t threads_;
  std::atomic<std::thread::id> owner_;
  const std::unique_ptr<Share[]> shares_;  // of each member
  const Pieces* function_ = nullptr;
  size_t count_ = 0, unit_ = 1;
  uint32_t last_generation_ = 0;  // value of generation_ before dismissal
  // `waited_for_` is the value of arrivals_ when the thread last yielded to woken workers.
  uint32_t waited_for_ = UINT32_MAX;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  // `generation_` counts how often loops were opened or closed. It is odd while a loop is open.
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<uint32_t> inside_{0};  // workers that may access the loop
  // `members_` counts workers that were called and have not left. `awake_` counts those of them
  // that are neither parked nor on their way.
  alignas(64) std::atomic<uint32_t> members_{0};
  std::atomic<uint32_t> awake_{0};
  std::atomic<uint32_t> arrivals_{0};  // total so far
  std::atomic<int> processor_{-1};     // of the thread itself
};

}  // namespace tputwin

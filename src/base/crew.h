// Crew: the workers that stay with a thread, and the loop they share with it. One loop at a time;
// each has a share of it, the same part of every loop, so that what one loop left in a processor's
// caches is there for the next one; whoever is done takes pieces of others' shares. The thread
// itself never waits for a worker that has not taken a piece: loops go on while workers are
// elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

namespace tputwin {

class Crew {
 public:
  using Pieces = std::function<void(size_t begin, size_t end)>;

  // Of a thread and threads - 1 workers.
  explicit Crew(int threads);
  Crew(const Crew&) = delete;
  int threads() const { return static_cast<int>(threads_); }
  void belong_to_this_thread() { owner_ = std::this_thread::get_id(); }

  // The crew of this thread; nullptr: it has none.
  static Crew* current();
  static void set_current(Crew* crew);
  // This thread is inside a piece of a loop: loops in there are not shared out again.
  static bool in_piece();

  // body over disjoint pieces of [0, count), of at least `grain` each. By the thread whose crew it
  // is, which takes part.
  void run(size_t count, size_t grain, const Pieces& body);
  // Opens the crew for a program. The workers that have to be called: each calls help(). Those of
  // the program before that have not left yet stay.
  size_t hire();
  // Workers leave soon; the thread does not wait for them, who may stand still for milliseconds on
  // a machine that is busy with others.
  void dismiss();
  // What a worker does until it is dismissed. Nothing on the thread whose crew it is.
  void help();

 private:
  // What is left of a member's share of the loop, in units of `unit_`: from the first one in the
  // lower half to behind the last one in the upper half.
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    std::atomic<bool> is_taken{false};  // by a member; the first one is the thread's own
  };
  struct Units {
    uint32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };
  static Units take(Share& share, bool is_own);
  void share_out(size_t count, size_t grain);
  void work(size_t member);
  size_t become_member();
  void wake_workers();
  void arrive();
  bool leave();

  static constexpr uint32_t kOver = UINT32_MAX;
  const size_t threads_;
  std::atomic<std::thread::id> owner_;
  const std::unique_ptr<Share[]> shares_;  // of each member
  const Pieces* body_ = nullptr;
  size_t count_ = 0, unit_ = 1;
  uint32_t last_turn_ = 0;            // before dismissal
  uint32_t waited_for_ = UINT32_MAX;  // arrivals when the thread last let workers begin
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  // Loops opened and closed so far: odd while one is open.
  alignas(64) std::atomic<uint32_t> turn_{0};
  alignas(64) std::atomic<uint32_t> inside_{0};  // workers that may look at the loop
  // Workers called that have not left; of them, those that neither park nor are still on their way.
  alignas(64) std::atomic<uint32_t> members_{0};
  std::atomic<uint32_t> awake_{0};
  std::atomic<uint32_t> arrivals_{0};  // so far
  std::atomic<int> processor_{-1};     // of the thread itself
};

}  // namespace tputwin

// Crew: the workers that stay with a thread, and the loop they share with it. One loop at a time;
// whoever is free takes the next piece. The thread itself never waits for a worker that has not
// taken a piece: loops go on while workers are elsewhere.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>

namespace tputwin {

class Crew {
 public:
  using Pieces = std::function<void(size_t begin, size_t end)>;

  // Of the calling thread and threads - 1 workers.
  explicit Crew(int threads) : threads_(static_cast<size_t>(threads)) {}
  Crew(const Crew&) = delete;

  // The crew of this thread; nullptr: it has none.
  static Crew* current();
  static void set_current(Crew* crew);
  // This thread is inside a piece of a loop: loops in there are not shared out again.
  static bool in_piece();

  // body over disjoint pieces of [0, count), of at least `grain` each. By the thread whose crew it
  // is, which takes part.
  void run(size_t count, size_t grain, const Pieces& body);
  // What a worker does until it is dismissed. Nothing on the thread whose crew it is.
  void help();
  void dismiss();

 private:
  void work();
  void wake_workers();
  void arrive();

  static constexpr uint32_t kOver = UINT32_MAX;
  const size_t threads_;
  const std::thread::id owner_ = std::this_thread::get_id();
  const Pieces* body_ = nullptr;
  size_t count_ = 0, grain_ = 1;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  // Loops opened and closed so far: odd while one is open.
  alignas(64) std::atomic<uint32_t> turn_{0};
  alignas(64) std::atomic<size_t> next_{0};
  alignas(64) std::atomic<uint32_t> inside_{0};  // workers that may look at the loop
  // Workers that neither park nor are still on their way, and the processor of the thread itself.
  alignas(64) std::atomic<uint32_t> awake_{0};
  std::atomic<int> processor_{-1};
};

}  // namespace tputwin

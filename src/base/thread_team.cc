// ThreadTeam: opens loops to workers, takes pieces, closes loops.
#include "base/thread_team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/architecture.h"
#include "base/bits.h"

namespace tputwin {
namespace {

using std::chrono::microseconds;

// kPatience is the longest time that a worker polls for the next loop before it parks. It is longer
// than the instructions of a network that are not worth a second thread, and much shorter than a
// scheduler's time slice.
constexpr microseconds kPatience{50};
// A loop whose units have several iterations wakes no workers if it has fewer than
// kUnitsWorthWaking units for each awake member. Waking takes about 40 us, and such a unit about 4
// us.
constexpr size_t kUnitsWorthWaking = 4;
// kPieceEnds is the time that the thread polls for the end of pieces that workers have begun. A
// piece takes about as long. A worker that takes longer may be waiting for the processor of this
// thread.
constexpr microseconds kPieceEnds{20};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls `done`. Returns true as soon as it is true, false after `patience`.
template <class Done>
bool comes_soon(std::chrono::nanoseconds patience, const Done& done) {
  for (const auto end = std::chrono::steady_clock::now() + patience;;) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
    if (std::chrono::steady_clock::now() > end) return done();
  }
}

// Holds the time that a worker may still poll, which is as long as it worked. If a program has
// little work for workers, they stay parked and take no processor time.
class Patience {
 public:
  // Polls `done`. Returns false if the time is over.
  template <class Done>
  bool comes(const Done& done) {
    const auto start = Clock::now();
    const bool came = comes_soon(left_, done);
    left_ = std::max(left_ - (Clock::now() - start), Clock::duration::zero());
    return came;
  }
  // Adds the time that work() takes.
  template <class Work>
  void earn(const Work& work) {
    const auto start = Clock::now();
    work();
    left_ = std::min<Clock::duration>(left_ + (Clock::now() - start), kPatience);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::duration left_{kPatience};
};

// Moves this thread to another processor, if it may use one.
void leave_processor(int processor) {
  cpu_set_t allowed, others;
  if (processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR(static_cast<size_t>(processor), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

thread_local ThreadTeam* of_this_thread = nullptr;
thread_local bool inside_a_piece = false;

}  // namespace

ThreadTeam* ThreadTeam::current() { return of_this_thread; }
void ThreadTeam::set_current(ThreadTeam* team) { of_this_thread = team; }
bool ThreadTeam::in_piece() { return inside_a_piece; }

ThreadTeam::ThreadTeam(int threads)
    : threads_(static_cast<size_t>(threads)), shares_(std::make_unique<Share[]>(threads_)) {
  shares_[0].is_taken = true;
}

// Divides a loop into units, and gives each share a contiguous range of them.
void ThreadTeam::share_out(size_t count, size_t grain) {
  count_ = count;
  unit_ = std::max({grain, size_t{1}, ceil_div(count, size_t{UINT32_MAX})});
  const size_t units = ceil_div(count, unit_);
  const auto first = [&](size_t member) { return ceil_div(units * member, threads_); };
  for (size_t i = 0; i < threads_; ++i)
    shares_[i].left.store(first(i) | first(i + 1) << 32, std::memory_order_relaxed);
}

void ThreadTeam::run(size_t count, size_t grain, const Pieces& function) {
  function_ = &function;
  share_out(count, grain);
  generation_.fetch_add(1);  // opens the loop
  wake_workers(ceil_div(count_, unit_));
  work(0);
  // Closes the loop: workers that arrive now leave at once.
  generation_.fetch_add(1);
  const auto alone = [&] { return inside_.load() == 0; };
  while (!comes_soon(kPieceEnds, alone))
    if (const uint32_t inside = inside_.load(); inside != 0) inside_.wait(inside);
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Wakes parked workers if the loop has enough work for them. A scheduler may queue a woken worker
// on the processor of the thread that woke it, although another processor is idle. The worker then
// waits for a time slice of some milliseconds, longer than a whole network. So the thread yields,
// and the worker moves to another processor. The thread yields once only: if the worker does not
// come, other processes occupy the processors, and would get the thread's own time slice.
void ThreadTeam::wake_workers(size_t units) {
  const size_t awake = awake_.load(std::memory_order_relaxed) + size_t{1};
  if (awake >= threads_) return;
  if (unit_ > 1 && units < kUnitsWorthWaking * awake) return;
  generation_.notify_all();
  const uint32_t arrivals = arrivals_.load(std::memory_order_relaxed);
  if (std::exchange(waited_for_, arrivals) == arrivals) return;
  processor_.store(sched_getcpu(), std::memory_order_relaxed);
  std::this_thread::yield();
}

void ThreadTeam::arrive() {
  const int processor = processor_.load(std::memory_order_relaxed);
  if (processor >= 0 && processor == sched_getcpu()) leave_processor(processor);
  awake_.fetch_add(1, std::memory_order_relaxed);
  arrivals_.fetch_add(1, std::memory_order_relaxed);
}

// Leaves the team. Returns false if the team was opened again and lacks members; the worker stays.
bool ThreadTeam::leave() {
  awake_.fetch_sub(1, std::memory_order_relaxed);
  members_.fetch_sub(1);
  if (generation_.load() == kOver) return true;
  for (uint32_t members = members_.load(); members + 1 < threads_;)
    if (members_.compare_exchange_weak(members, members + 1)) {
      awake_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  return true;
}

// Takes half of the units left in a share. Large pieces come first, so there are few pieces. Small
// ones come last, so all members finish together. The owner takes from the front, others from the
// back.
ThreadTeam::Units ThreadTeam::take(Share& share, bool is_own) {
  uint64_t left = share.left.load(std::memory_order_relaxed);
  for (;;) {
    const auto begin = static_cast<uint32_t>(left), end = static_cast<uint32_t>(left >> 32);
    if (begin == end) return {};
    const uint32_t count = (end - begin + 1) / 2;
    const Units taken = is_own ? Units{begin, begin + count} : Units{end - count, end};
    const Units kept = is_own ? Units{taken.end, end} : Units{begin, taken.begin};
    if (share.left.compare_exchange_weak(left, kept.begin | uint64_t{kept.end} << 32,
                                         std::memory_order_relaxed))
      return taken;
  }
}

// Takes pieces until none are left, from its own share first.
void ThreadTeam::work(size_t member) {
  inside_a_piece = true;
  try {
    for (size_t i = 0; i < threads_; ++i) {
      Share& share = shares_[(member + i) % threads_];
      for (Units units; !(units = take(share, i == 0)).empty();)
        (*function_)(units.begin * unit_, std::min(count_, units.end * unit_));
    }
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
    for (size_t i = 0; i < threads_; ++i) shares_[i].left.store(0, std::memory_order_relaxed);
  }
  inside_a_piece = false;
}

// Takes a free share. Workers return their share before they leave, so there is one for each
// member.
size_t ThreadTeam::become_member() {
  for (size_t i = 1;; i = i + 1 < threads_ ? i + 1 : 1)
    if (!shares_[i].is_taken.exchange(true)) return i;
}

size_t ThreadTeam::hire() {
  generation_.store(last_generation_ += 2);
  size_t called = 0;
  while (members_.load() + 1 < threads_) members_.fetch_add(1), ++called;
  return called;
}

void ThreadTeam::dismiss() {
  last_generation_ = generation_.exchange(kOver);
  generation_.notify_all();
}

void ThreadTeam::help() {
  if (std::this_thread::get_id() == owner_) {
    members_.fetch_sub(1);
    return;
  }
  arrive();
  size_t member = become_member();
  Patience patience;
  for (uint32_t served = 0;;) {
    uint32_t generation = 0;
    const auto news = [&] {
      generation = generation_.load();
      return generation % 2 == 1 && generation != served && generation != kOver;
    };
    if (!patience.comes(news)) {
      if (generation == kOver) {
        shares_[member].is_taken = false;
        if (leave()) return;
        member = become_member();
        continue;
      }
      awake_.fetch_sub(1, std::memory_order_relaxed);
      generation_.wait(generation);
      arrive();
      continue;
    }
    inside_.fetch_add(1);
    // The loop is still open, and stays open while inside_ > 0.
    if (generation_.load() == generation) {
      served = generation;
      patience.earn([&] { work(member); });
    }
    if (inside_.fetch_sub(1) == 1) inside_.notify_one();
  }
}

}  // namespace tputwin

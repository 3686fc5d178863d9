// How a thread and its workers share loops: opening, taking pieces, closing.
#include "base/crew.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/architecture.h"
#include "base/bits.h"

namespace tputwin {
namespace {

using std::chrono::microseconds;

// How long a worker looks for the next loop before he parks: longer than the instructions of a
// network that are not worth a second thread, much shorter than what a scheduler gives to others.
constexpr microseconds kPatience{50};
// How long the thread looks for the end of pieces that workers have begun: about as long as a piece
// takes. A worker that takes longer may wait for this very processor.
constexpr microseconds kPieceEnds{20};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True as soon as `done`; false after `patience`.
template <class Done>
bool comes_soon(microseconds patience, const Done& done) {
  for (const auto end = std::chrono::steady_clock::now() + patience;;) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
    if (std::chrono::steady_clock::now() > end) return done();
  }
}

// This thread goes on elsewhere, if there is another processor it may use.
void leave_processor(int processor) {
  cpu_set_t allowed, others;
  if (processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR(static_cast<size_t>(processor), &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

thread_local Crew* of_this_thread = nullptr;
thread_local bool inside_a_piece = false;

}  // namespace

Crew* Crew::current() { return of_this_thread; }
void Crew::set_current(Crew* crew) { of_this_thread = crew; }
bool Crew::in_piece() { return inside_a_piece; }

Crew::Crew(int threads)
    : threads_(static_cast<size_t>(threads)), shares_(std::make_unique<Share[]>(threads_)) {
  shares_[0].is_taken = true;
}

// Units of a loop to all shares.
void Crew::share_out(size_t count, size_t grain) {
  count_ = count;
  unit_ = std::max({grain, size_t{1}, ceil_div(count, size_t{UINT32_MAX})});
  const size_t units = ceil_div(count, unit_);
  const auto first = [&](size_t member) { return ceil_div(units * member, threads_); };
  for (size_t i = 0; i < threads_; ++i)
    shares_[i].left.store(first(i) | first(i + 1) << 32, std::memory_order_relaxed);
}

void Crew::run(size_t count, size_t grain, const Pieces& body) {
  body_ = &body;
  share_out(count, grain);
  turn_.fetch_add(1);  // open
  wake_workers();
  work(0);
  turn_.fetch_add(1);  // closed: who comes now leaves at once
  const auto alone = [&] { return inside_.load() == 0; };
  while (!comes_soon(kPieceEnds, alone))
    if (const uint32_t inside = inside_.load(); inside != 0) inside_.wait(inside);
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

// A system may put who wakes behind who woke him, on the same processor though another is idle,
// until a slice of some milliseconds is over: longer than a whole network. So the thread lets him
// begin, and he goes elsewhere. Once: if he does not come the processors are busy with others, who
// would get the thread's own slice.
void Crew::wake_workers() {
  turn_.notify_all();
  if (awake_.load(std::memory_order_relaxed) + 1 >= threads_) return;
  const uint32_t arrivals = arrivals_.load(std::memory_order_relaxed);
  if (std::exchange(waited_for_, arrivals) == arrivals) return;
  processor_.store(sched_getcpu(), std::memory_order_relaxed);
  std::this_thread::yield();
}

void Crew::arrive() {
  const int processor = processor_.load(std::memory_order_relaxed);
  if (processor >= 0 && processor == sched_getcpu()) leave_processor(processor);
  awake_.fetch_add(1, std::memory_order_relaxed);
  arrivals_.fetch_add(1, std::memory_order_relaxed);
}

// False if the crew was opened again and has room.
bool Crew::leave() {
  awake_.fetch_sub(1, std::memory_order_relaxed);
  members_.fetch_sub(1);
  if (turn_.load() == kOver) return true;
  for (uint32_t members = members_.load(); members + 1 < threads_;)
    if (members_.compare_exchange_weak(members, members + 1)) {
      awake_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  return true;
}

// Half of what is left of a share: large pieces first, so that there are few, small ones last, so
// that all finish together. Its owner begins at its front, others at its back.
Crew::Units Crew::take(Share& share, bool is_own) {
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

// Takes pieces until there are none, of its own share first.
void Crew::work(size_t member) {
  inside_a_piece = true;
  try {
    for (size_t i = 0; i < threads_; ++i) {
      Share& share = shares_[(member + i) % threads_];
      for (Units units; !(units = take(share, i == 0)).empty();)
        (*body_)(units.begin * unit_, std::min(count_, units.end * unit_));
    }
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
    for (size_t i = 0; i < threads_; ++i) shares_[i].left.store(0, std::memory_order_relaxed);
  }
  inside_a_piece = false;
}

// A worker gives its share back before it leaves, so that there is one for whoever is here.
size_t Crew::become_member() {
  for (size_t i = 1;; i = i + 1 < threads_ ? i + 1 : 1)
    if (!shares_[i].is_taken.exchange(true)) return i;
}

size_t Crew::hire() {
  turn_.store(last_turn_ += 2);
  size_t called = 0;
  while (members_.load() + 1 < threads_) members_.fetch_add(1), ++called;
  return called;
}

void Crew::dismiss() {
  last_turn_ = turn_.exchange(kOver);
  turn_.notify_all();
}

void Crew::help() {
  if (std::this_thread::get_id() == owner_) {
    members_.fetch_sub(1);
    return;
  }
  arrive();
  size_t member = become_member();
  for (uint32_t served = 0;;) {
    uint32_t turn = 0;
    const auto news = [&] {
      turn = turn_.load();
      return turn % 2 == 1 && turn != served && turn != kOver;
    };
    if (!comes_soon(kPatience, news)) {
      if (turn == kOver) {
        shares_[member].is_taken = false;
        if (leave()) return;
        member = become_member();
        continue;
      }
      awake_.fetch_sub(1, std::memory_order_relaxed);
      turn_.wait(turn);
      arrive();
      continue;
    }
    inside_.fetch_add(1);
    if (turn_.load() == turn) {  // still open, and open until inside_ falls
      served = turn;
      work(member);
    }
    if (inside_.fetch_sub(1) == 1) inside_.notify_one();
  }
}

}  // namespace tputwin

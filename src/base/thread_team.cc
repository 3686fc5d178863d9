// ThreadTeam: opens loops to workers, takes pieces, waits for the last one.
#include "base/thread_team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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
// A loop of unknown work whose units have several iterations wakes no workers if it has fewer than
// kUnitsWorthWaking units for each awake member. Waking takes about 40 us, and such a unit about 4
// us. Loops of known work wake workers as soon as these would have saved kWorthWaking nanoseconds.
constexpr size_t kUnitsWorthWaking = 4;
constexpr double kWorthWaking = 30'000;
// A loop of less than kWorthSharing nanoseconds runs on its thread alone. One of more work takes
// work / n + n * kMemberTime on n members, which is least for n = sqrt(work / kMemberTime). Twice
// as many members take little longer, and are ready for the next loop.
constexpr double kWorthSharing = 3'000;
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

// Holds the time that a worker may still poll. It has kPatience when it is woken, and then as long
// as it worked. If a program has little work for workers, they stay parked and take no processor
// time.
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
  void renew() { left_ = kPatience; }
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

class Stopwatch {
 public:
  double nanoseconds() const {
    return std::chrono::duration<double, std::nano>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
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
  static_assert(std::atomic<Opening>::is_always_lock_free);
  shares_[0].is_taken = true;
}

// All threads, or half of them, or half of these, and so on, so that shares seldom change.
size_t ThreadTeam::members_for(double work, size_t units, size_t threads) {
  size_t members = threads;
  if (work > 0) {
    if (work < kWorthSharing) return 1;
    const double best = 2 * std::sqrt(work / kMemberTime);
    while (members > 2 && static_cast<double>(members) > best) members = (members + 1) / 2;
  }
  return std::min(members, units);
}

// Returns the number of members that are to be awake. Loops that ran on fewer members than they are
// worth add up, until waking would have cost less.
uint16_t ThreadTeam::members_to_wake(double work, size_t unit, size_t units, uint16_t members) {
  const size_t awake = awake_.load(kRelaxed) + size_t{1};
  if (awake >= members) return 0;
  if (work == 0) return unit > 1 && units < kUnitsWorthWaking * awake ? 0 : members;
  missed_ += work / static_cast<double>(awake) - work / members;
  if (missed_ < kWorthWaking) return 0;
  missed_ = 0;
  return members;
}

void ThreadTeam::run(size_t count, size_t grain, const Pieces& function) {
  const size_t unit = std::max({grain, size_t{1}, ceil_div(count, kMostUnits)}),
               units = ceil_div(count, unit);
  LoopHistory::Loop& known = history_.next({&function.target_type(), count, grain});
  const double work = known.unit_time() * static_cast<double>(units);
  const auto members = static_cast<uint16_t>(members_for(work, units, threads_));
  if (members == 1) return known.measured(run_alone(count, function) / static_cast<double>(units));
  last_ = {last_.generation + 1, members, members_to_wake(work, unit, units, members)};
  open(count, unit, function);
  known.measured(work_on_first());
  work_on(0, last_);
  wait_for_end();
  if (failed_.exchange(false)) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Runs a loop on this thread. Loops inside it are not shared either, so that the order of loops
// does not depend on times. Returns the nanoseconds that it took.
double ThreadTeam::run_alone(size_t count, const Pieces& function) {
  const Stopwatch watch;
  inside_a_piece = true;
  try {
    function(0, count);
  } catch (...) {
    inside_a_piece = false;
    throw;
  }
  inside_a_piece = false;
  return watch.nanoseconds();
}

// Publishes the loop `last_`.
void ThreadTeam::open(size_t count, size_t unit, const Pieces& function) {
  constexpr uint32_t kRenewal = 1 << 12;
  if (last_.generation % kRenewal == 0) renew_shares();
  // A member that reads one of the new values also sees that the loop before the last one is over.
  Loop& loop = loops_[last_.generation % 2];
  loop.function.store(&function, std::memory_order_release);
  loop.count.store(count, std::memory_order_release);
  loop.unit.store(unit, std::memory_order_release);
  unfinished_.store(static_cast<uint32_t>(loop.units()), kRelaxed);
  opening_.store(last_);
  if (last_.woken == 0) return;
  wake_below(0, last_);
  yield_to_woken();
}

// Marks all shares as empty. Generations of shares are compared modulo 2^32, so none may become
// too old.
void ThreadTeam::renew_shares() {
  for (size_t i = 0; i < threads_; ++i) shares_[i].left.store(uint64_t{last_.generation - 1} << 32);
}

void ThreadTeam::wait_for_end() {
  const auto is_over = [&] { return unfinished_.load() == 0; };
  while (!comes_soon(kPieceEnds, is_over))
    if (const uint32_t unfinished = unfinished_.load(); unfinished != 0)
      unfinished_.wait(unfinished);
}

// Wakes the parked ones among the members 2n + 1 and 2n + 2 and those below them in this tree.
// Those who wake do the same, so that waking many takes little longer than waking one.
void ThreadTeam::wake_below(size_t member, const Opening& opening) {
  for (size_t next = 2 * member + 1; next <= 2 * member + 2 && next < opening.woken; ++next)
    if (!wake(next)) wake_below(next, opening);
}

// Returns false if the member is not parked.
bool ThreadTeam::wake(size_t member) {
  std::atomic<uint32_t>& is_parked = shares_[member].is_parked;
  if (is_parked.load() == 0 || is_parked.exchange(0) == 0) return false;
  is_parked.notify_one();
  return true;
}

// A scheduler may queue a woken worker on the processor of the thread that woke it, although
// another processor is idle. The worker then waits for a time slice of some milliseconds, longer
// than a whole network. So the thread yields, and the worker moves to another processor. The thread
// yields once only: if the worker does not come, other processes occupy the processors, and would
// get the thread's own time slice.
void ThreadTeam::yield_to_woken() {
  const uint32_t arrivals = arrivals_.load(kRelaxed);
  if (std::exchange(waited_for_, arrivals) == arrivals) return;
  processor_.store(sched_getcpu(), kRelaxed);
  std::this_thread::yield();
}

void ThreadTeam::arrive() {
  const int processor = processor_.load(kRelaxed);
  if (processor >= 0 && processor == sched_getcpu()) leave_processor(processor);
  awake_.fetch_add(1, kRelaxed);
  arrivals_.fetch_add(1, kRelaxed);
}

// Sleeps until the member is woken. An opening that it may have missed keeps it awake.
void ThreadTeam::park(size_t member, const Opening& seen) {
  awake_.fetch_sub(1, kRelaxed);
  std::atomic<uint32_t>& is_parked = shares_[member].is_parked;
  is_parked.store(1);
  if (opening_.load() == seen)
    is_parked.wait(1);
  else
    is_parked.store(0);
  arrive();
}

// Leaves the team. Returns false if the team was opened again and lacks members; the worker stays.
bool ThreadTeam::leave() {
  awake_.fetch_sub(1, kRelaxed);
  members_.fetch_sub(1);
  if (opening_.load().members == kDismissed) return true;
  if (!add_member()) return true;
  awake_.fetch_add(1, kRelaxed);
  return false;
}

// Counts one more worker, unless there is one for each share. A worker that leaves may return to a
// team that hires at this moment.
bool ThreadTeam::add_member() {
  for (uint32_t members = members_.load(); members + 1 < threads_;)
    if (members_.compare_exchange_weak(members, members + 1)) return true;
  return false;
}

// Takes half of the units left in a share. Large pieces come first, so there are few pieces. Small
// ones come last, so all members finish together. The owner takes from the front, others from the
// back.
//
// A member may be late: the loop may be over, and another one open. If `opening_` is unchanged
// after the member has read the loop, what it read belongs to the opening. A share without the
// generation of this loop is then still whole, as the loop cannot end before. Shares of later loops
// have later generations.
ThreadTeam::Units ThreadTeam::take(size_t share, const Opening& opening, bool is_own) {
  const size_t units = loops_[opening.generation % 2].units();
  if (opening_.load() != opening) return {};
  const Units whole{ceil_div(units * share, opening.members),
                    ceil_div(units * (share + 1), opening.members)};
  std::atomic<uint64_t>& left = shares_[share].left;
  for (uint64_t old = left.load(kRelaxed);;) {
    const auto later = static_cast<int32_t>(static_cast<uint32_t>(old >> 32) - opening.generation);
    if (later > 0) return {};
    const Units now = later < 0 ? whole : Units{old & 0xffff, old >> 16 & 0xffff};
    if (now.empty()) return {};
    const size_t count = (now.end - now.begin + 1) / 2;
    const Units taken =
        is_own ? Units{now.begin, now.begin + count} : Units{now.end - count, now.end};
    const Units kept = is_own ? Units{taken.end, now.end} : Units{now.begin, taken.begin};
    if (left.compare_exchange_weak(
            old, uint64_t{opening.generation} << 32 | kept.end << 16 | kept.begin))
      return taken;
  }
}

// Runs units that this member has taken, so that the loop is open.
void ThreadTeam::run_units(const Loop& loop, const Units& units) {
  if (failed_.load(kRelaxed)) return;
  const size_t unit = loop.unit.load(kRelaxed), count = loop.count.load(kRelaxed);
  inside_a_piece = true;
  try {
    (*loop.function.load(kRelaxed))(units.begin * unit, std::min(count, units.end * unit));
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
  inside_a_piece = false;
}

// Runs the first piece of the thread's own share. Returns the nanoseconds that a unit took, without
// those for taking pieces, which are more for many members. Returns 0 if workers took all.
double ThreadTeam::work_on_first() {
  const Units first = take(0, last_, true);
  if (first.empty()) return 0;
  const Stopwatch watch;
  run_units(loops_[last_.generation % 2], first);
  const double time = watch.nanoseconds();
  finish(first.count());
  return time / static_cast<double>(first.count());
}

// Subtracts units that are done. Returns true if the loop is over.
bool ThreadTeam::finish(size_t units) {
  const auto done = static_cast<uint32_t>(units);
  if (done == 0) return unfinished_.load(kRelaxed) == 0;
  if (unfinished_.fetch_sub(done) != done) return false;
  unfinished_.notify_one();
  return true;
}

// Takes pieces until none are left, from its own share first.
void ThreadTeam::work_on(size_t member, const Opening& opening) {
  const Loop& loop = loops_[opening.generation % 2];
  for (size_t i = 0; i < opening.members; ++i) {
    size_t done = 0;
    for (Units units; !(units = take((member + i) % opening.members, opening, i == 0)).empty();) {
      run_units(loop, units);
      done += units.count();
    }
    if (finish(done)) return;
  }
}

// Takes a free share. Workers return their share before they leave, so there is one for each
// member.
size_t ThreadTeam::become_member() {
  for (size_t i = 1;; i = i + 1 < threads_ ? i + 1 : 1)
    if (!shares_[i].is_taken.exchange(true)) return i;
}

size_t ThreadTeam::hire() {
  history_.restart();
  opening_.store({last_.generation, 0, 0});
  size_t called = 0;
  while (add_member()) ++called;
  return called;
}

void ThreadTeam::dismiss() {
  opening_.store({last_.generation, kDismissed, 0});
  for (size_t i = 1; i < threads_; ++i) wake(i);
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
    Opening opening;
    const auto is_called = [&] {
      opening = opening_.load();
      return opening.members != kDismissed && member < opening.members &&
             opening.generation != served;
    };
    if (patience.comes(is_called)) {
      served = opening.generation;
      patience.earn([&] {
        wake_below(member, opening);
        work_on(member, opening);
      });
    } else if (opening.members != kDismissed) {
      park(member, opening);
      patience.renew();
    } else {
      shares_[member].is_taken = false;
      if (leave()) return;
      member = become_member();
    }
  }
}

}  // namespace tputwin

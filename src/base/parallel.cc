// Runs pieces of a loop as tasks of an arena with the given number of threads, or on a team of
// workers.
#include "base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/loop_recorder.h"
#include "base/processors.h"
#include "base/thread_team.h"
#include "base/variables.h"
#include "base/workers.h"

namespace tputwin {
namespace {

int default_thread_count() {
  static const int threads = [] {
    const uint64_t wanted = number_in(EnvVariable::threads);
    return wanted > 0 && wanted <= kMostThreads ? static_cast<int>(wanted)
                                                : std::min(usable_processors(), kMostThreads);
  }();
  return threads;
}

std::atomic<int> overridden{0};

#if defined(__SANITIZE_THREAD__)

// ThreadSanitizer cannot see the synchronization inside Debian's oneTBB. So its build runs the
// pieces on plain threads, and its reports are about races between pieces.
void run_pieces(size_t count, size_t grain, int threads,
                const std::function<void(size_t, size_t)>& function) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t begin; (begin = next.fetch_add(grain)) < count;)
      function(begin, std::min(begin + grain, count));
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

// Runs `function` while workers help the team.
void run_with_helpers(ThreadTeam& team, const std::function<void()>& function) {
  std::vector<std::jthread> helpers;
  for (size_t called = team.hire(); called > 0; --called)
    helpers.emplace_back([&team] { team.help(); });
  function();
}

#else

tbb::task_arena& arena(int threads) {
  thread_local tbb::task_arena instance(threads);
  thread_local int size = threads;
  if (size != threads) {
    instance.terminate();
    instance.initialize(threads);
    size = threads;
  }
  return instance;
}

void run_pieces(size_t count, size_t grain, int threads,
                const std::function<void(size_t, size_t)>& function) {
  arena(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, grain),
                      [&](const auto& range) { function(range.begin(), range.end()); });
  });
}

// Runs `function` while workers help the team.
void run_with_helpers(ThreadTeam& team, const std::function<void()>& function) {
  for (size_t called = team.hire(); called > 0; --called)
    arena(team.threads()).enqueue([&team] { team.help(); });
  function();
}

#endif

// The team of a thread for the thread's lifetime. Teams live longer than threads, because a worker
// on its way may arrive late on a busy machine.
class Lent {
 public:
  Lent() = default;
  Lent(const Lent&) = delete;
  ~Lent() { give_back(); }

  ThreadTeam& team(int threads) {
    if (team_ != nullptr && team_->threads() == threads) return *team_;
    give_back();
    Free& free = all();
    const std::scoped_lock lock(free.mutex);
    const auto fits = [&](const auto& team) { return team->threads() == threads; };
    const auto found = std::find_if(free.teams.begin(), free.teams.end(), fits);
    if (found == free.teams.end()) {
      team_ = std::make_unique<ThreadTeam>(threads);
    } else {
      team_ = std::move(*found);
      free.teams.erase(found);
    }
    team_->belong_to_this_thread();
    return *team_;
  }

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<ThreadTeam>> teams;
  };
  // Never destroyed, because workers may still use teams when the process ends.
  static Free& all() {
    static Free& free = *new Free;
    return free;
  }

  void give_back() {
    if (team_ == nullptr) return;
    Free& free = all();
    const std::scoped_lock lock(free.mutex);
    free.teams.push_back(std::move(team_));
  }

  std::unique_ptr<ThreadTeam> team_;
};

// Makes a team the current one of this thread, and dismisses it at the end.
class Hired {
 public:
  explicit Hired(ThreadTeam& team) : team_(team) { ThreadTeam::set_current(&team); }
  ~Hired() {
    ThreadTeam::set_current(nullptr);
    team_.dismiss();
  }
  Hired(const Hired&) = delete;

 private:
  ThreadTeam& team_;
};

}  // namespace

int thread_count() {
  int threads = overridden.load(std::memory_order_relaxed);
  return threads > 0 ? threads : default_thread_count();
}

void set_thread_count(int threads) {
  overridden.store(std::min(threads, kMostThreads), std::memory_order_relaxed);
}

void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& function) {
  if (count == 0) return;
  if (LoopRecorder* recorder = LoopRecorder::current())
    return recorder->run(count, grain, function);
  const int threads = thread_count();
  if (threads == 1 || count <= grain || ThreadTeam::in_piece()) return function(0, count);
  if (ThreadTeam* team = ThreadTeam::current()) return team->run(count, grain, function);
  run_pieces(count, std::max<size_t>(grain, 1), threads, function);
}

bool has_workers() {
  return ThreadTeam::current() != nullptr || LoopRecorder::current() != nullptr;
}

void with_workers(const std::function<void()>& function) {
  // More threads than processors would only displace each other.
  const int threads = std::min(thread_count(), usable_processors());
  if (threads == 1 || ThreadTeam::in_piece() || ThreadTeam::current() != nullptr ||
      LoopRecorder::current() != nullptr)
    return function();
  thread_local Lent lent;
  ThreadTeam& team = lent.team(threads);
  run_with_helpers(team, [&] {
    const Hired hired(team);
    function();
  });
}

}  // namespace tputwin

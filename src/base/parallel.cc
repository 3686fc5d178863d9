// Runs pieces of a loop as tasks of an arena with the given number of threads, or on a crew of
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

#include "base/crew.h"
#include "base/variables.h"
#include "base/workers.h"

namespace tputwin {
namespace {

int default_thread_count() {
  static const int threads = [] {
    const uint64_t wanted = number_in(EnvVariable::threads);
    return wanted > 0 && wanted <= INT_MAX ? static_cast<int>(wanted)
                                           : tbb::this_task_arena::max_concurrency();
  }();
  return threads;
}

std::atomic<int> overridden{0};

#if defined(__SANITIZE_THREAD__)

// ThreadSanitizer cannot see the synchronization inside Debian's oneTBB. So its build runs the
// pieces on plain threads, and its reports are about races between pieces.
void run_pieces(size_t count, size_t grain, int threads,
                const std::function<void(size_t, size_t)>& body) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t begin; (begin = next.fetch_add(grain)) < count;)
      body(begin, std::min(begin + grain, count));
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
}

// Runs `body` while workers help the crew.
void run_beside(Crew& crew, const std::function<void()>& body) {
  std::vector<std::jthread> helpers;
  for (size_t called = crew.hire(); called > 0; --called)
    helpers.emplace_back([&crew] { crew.help(); });
  body();
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
                const std::function<void(size_t, size_t)>& body) {
  arena(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count, grain),
                      [&](const auto& range) { body(range.begin(), range.end()); });
  });
}

// Runs `body` while workers help the crew.
void run_beside(Crew& crew, const std::function<void()>& body) {
  for (size_t called = crew.hire(); called > 0; --called)
    arena(crew.threads()).enqueue([&crew] { crew.help(); });
  body();
}

#endif

// The crew of a thread for the thread's lifetime. Crews live longer than threads, because a worker
// on its way may arrive late on a busy machine.
class Lent {
 public:
  Lent() = default;
  Lent(const Lent&) = delete;
  ~Lent() { give_back(); }

  Crew& crew(int threads) {
    if (crew_ != nullptr && crew_->threads() == threads) return *crew_;
    give_back();
    Free& free = all();
    const std::scoped_lock lock(free.mutex);
    const auto fits = [&](const auto& crew) { return crew->threads() == threads; };
    const auto found = std::find_if(free.crews.begin(), free.crews.end(), fits);
    if (found == free.crews.end()) {
      crew_ = std::make_unique<Crew>(threads);
    } else {
      crew_ = std::move(*found);
      free.crews.erase(found);
    }
    crew_->belong_to_this_thread();
    return *crew_;
  }

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<Crew>> crews;
  };
  // Never destroyed, because workers may still use crews when the process ends.
  static Free& all() {
    static Free& free = *new Free;
    return free;
  }

  void give_back() {
    if (crew_ == nullptr) return;
    Free& free = all();
    const std::scoped_lock lock(free.mutex);
    free.crews.push_back(std::move(crew_));
  }

  std::unique_ptr<Crew> crew_;
};

// Makes a crew the current one of this thread, and dismisses it at the end.
class Hired {
 public:
  explicit Hired(Crew& crew) : crew_(crew) { Crew::set_current(&crew); }
  ~Hired() {
    Crew::set_current(nullptr);
    crew_.dismiss();
  }
  Hired(const Hired&) = delete;

 private:
  Crew& crew_;
};

}  // namespace

int thread_count() {
  int threads = overridden.load(std::memory_order_relaxed);
  return threads > 0 ? threads : default_thread_count();
}

void set_thread_count(int threads) { overridden.store(threads, std::memory_order_relaxed); }

void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
  if (count == 0) return;
  const int threads = thread_count();
  if (threads == 1 || count <= grain || Crew::in_piece()) return body(0, count);
  if (Crew* crew = Crew::current()) return crew->run(count, grain, body);
  run_pieces(count, std::max<size_t>(grain, 1), threads, body);
}

void with_workers(const std::function<void()>& body) {
  // More threads than processors would only displace each other.
  static const int processors = tbb::this_task_arena::max_concurrency();
  const int threads = std::min(thread_count(), processors);
  if (threads == 1 || Crew::in_piece() || Crew::current() != nullptr) return body();
  thread_local Lent lent;
  Crew& crew = lent.crew(threads);
  run_beside(crew, [&] {
    const Hired hired(crew);
    body();
  });
}

}  // namespace tputwin

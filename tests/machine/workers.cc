// Workers that belong to a thread: every piece runs once, errors are reported, loops nest.
#include "base/workers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "base/processors.h"
#include "base/thread_team.h"

namespace tputwin::test {
namespace {

class Workers : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};

// Expects each index of [0, count) once, in pieces of at least `grain` except the last.
void expect_all(size_t count, size_t grain) {
  std::vector<std::atomic<int>> seen(count);
  parallel_for(count, grain, [&](size_t begin, size_t end) {
    EXPECT_LT(begin, end);
    for (size_t i = begin; i < end; ++i) ++seen[i];
  });
  for (const auto& times : seen) ASSERT_EQ(times, 1);
}

TEST_P(Workers, TakeEveryPieceOnce) {
  with_workers([] {
    for (size_t round = 0; round < 300; ++round) expect_all(round % 70, 1 + round % 5);
  });
  expect_all(1000, 3);
}

TEST_P(Workers, ParkAndComeBack) {
  with_workers([] {
    for (int round = 0; round < 3; ++round) {
      std::atomic<int> steps{0};
      while (++steps < 1 << 18) continue;  // longer than a worker waits before it sleeps
      expect_all(1000, 1);
    }
  });
}

TEST(Threads, AreAtMostTheLargestNumber) {
  set_thread_count(1 << 20);
  EXPECT_EQ(thread_count(), kMostThreads);
  set_thread_count(0);
  EXPECT_LE(thread_count(), kMostThreads);
}

// The first half runs on the thread itself, the second on its worker. Each waits until the other
// has begun, so that each takes one half.
TEST(Shares, AreTheSameInEveryLoop) {
  if (usable_processors() < 2) GTEST_SKIP() << "no other thread shares a single processor";
  set_thread_count(2);
  with_workers([] {
    const std::thread::id own = std::this_thread::get_id();
    std::thread::id worker;
    for (int round = 0; round < 50; ++round) {
      std::array<std::thread::id, 2> takers;
      std::atomic<int> begun{0};
      parallel_for(2, 1, [&](size_t begin, size_t end) {
        ASSERT_EQ(end, begin + 1);
        takers[begin] = std::this_thread::get_id();
        for (++begun; begun < 2;) std::this_thread::yield();
      });
      ASSERT_EQ(takers[0], own);
      ASSERT_NE(takers[1], own);
      if (round == 0) worker = takers[1];
      ASSERT_EQ(takers[1], worker);
    }
  });
  set_thread_count(0);
}

// A worker that is woken on its thread's processor moves by excluding that processor, only for that
// moment.
TEST_P(Workers, MayUseTheSameProcessorsAsBefore) {
  const auto allowed = [] {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    EXPECT_EQ(sched_getaffinity(0, sizeof processors, &processors), 0);
    return processors;
  };
  const cpu_set_t before = allowed();
  for (int run = 0; run < 20; ++run)
    with_workers([&] {
      for (int round = 0; round < 10; ++round)
        parallel_for(50, 1, [&](size_t, size_t) {
          const cpu_set_t now = allowed();
          EXPECT_TRUE(CPU_EQUAL(&now, &before));
        });
    });
}

TEST_P(Workers, LoopsInsideLoopsAreNotSharedOut) {
  std::atomic<size_t> sum{0};
  with_workers([&] {
    with_workers([&] {
      parallel_for(20, 1, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          parallel_for(10, 1, [&](size_t first, size_t last) { sum += last - first; });
      });
    });
  });
  EXPECT_EQ(sum, 200u);
}

TEST_P(Workers, ErrorsOfPiecesComeOut) {
  const auto fail = [] {
    parallel_for(100, 1, [](size_t begin, size_t end) {
      if (begin <= 57 && 57 < end) throw std::runtime_error("57");
    });
  };
  with_workers([&] {
    EXPECT_THROW(fail(), std::runtime_error);
    expect_all(100, 1);
  });
  EXPECT_THROW(with_workers(fail), std::runtime_error);
  expect_all(100, 1);
}

TEST_P(Workers, SeveralThreadsHaveTheirOwn) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([] {
      for (int run = 0; run < 20; ++run)
        with_workers([] {
          for (int round = 0; round < 10; ++round) expect_all(50, 1);
        });
    });
}

// Runs `loops` on a team of more members than this host may have processors. Members are late, miss
// loops and park.
template <class Loops>
void on_team(int threads, int programs, const Loops& loops) {
  auto& team = *new ThreadTeam(threads);  // teams live longer than their workers
  team.belong_to_this_thread();
  std::vector<std::jthread> workers;
  for (int program = 0; program < programs; ++program) {
    for (size_t called = team.hire(); called > 0; --called)
      workers.emplace_back([&team] { team.help(); });
    loops(team);
    team.dismiss();
  }
}

void spin(size_t steps) {
  for (std::atomic<size_t> step{0}; step < steps;) ++step;
}

TEST(Team, OfManyMembersTakesEveryPieceOnce) {
  for (const int threads : {2, 3, 16})
    on_team(threads, 8, [](ThreadTeam& team) {
      for (size_t round = 0; round < 2000; ++round) {
        const size_t count = 2 + round % 37, grain = 1 + round % 3, steps = round % 11 * 100;
        std::array<std::atomic<int>, 40> seen{};
        team.run(count, grain, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) ++seen[i];
          spin(steps);
        });
        for (size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], 1) << round;
        if (round % 500 == 0) spin(100'000);  // longer than workers wait before they park
      }
    });
}

// Loops of tens of microseconds, each too short to wake workers for, are shared after a few.
TEST(Team, SharesLoopsThatAreShortButMany) {
  if (usable_processors() < 2) GTEST_SKIP() << "no other thread shares a single processor";
  std::atomic<int> by_workers{0};
  on_team(2, 1, [&](ThreadTeam& team) {
    const std::thread::id own = std::this_thread::get_id();
    for (int round = 0; round < 20'000 && by_workers == 0; ++round)
      team.run(8, 1, [&](size_t begin, size_t end) {
        spin(500 * (end - begin));
        by_workers += std::this_thread::get_id() != own;
      });
  });
  EXPECT_GT(by_workers, 0);
}

TEST(Team, RunsAShortLoopAloneWhenItIsKnown) {
  int program = 0;
  on_team(4, 20, [&program](ThreadTeam& team) {
    const std::thread::id own = std::this_thread::get_id();
    int pieces = 0;
    bool all_own = true;
    team.run(4, 1, [&, is_last = program == 19](size_t begin, size_t end) {
      if (!is_last) return;
      pieces += static_cast<int>(end - begin);
      all_own &= std::this_thread::get_id() == own;
    });
    if (program++ != 19) return;
    EXPECT_EQ(pieces, 4);
    EXPECT_TRUE(all_own);
  });
}

// Workers of a pool that leave one program while the next one hires.
TEST(Team, NeverHasMoreMembersThanShares) {
  constexpr int kThreads = 2, kPrograms = 50'000;
  auto& team = *new ThreadTeam(kThreads);
  team.belong_to_this_thread();
  std::atomic<size_t> called{0};
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> pool;
  for (int i = 0; i < kThreads + 1; ++i)
    pool.emplace_back([&] {
      while (!is_over)
        if (size_t waiting = called;
            waiting > 0 && called.compare_exchange_weak(waiting, waiting - 1))
          team.help();
        else
          std::this_thread::yield();
    });
  size_t most = 0;
  for (int program = 0; program < kPrograms; ++program) {
    called += team.hire();
    if (program % 2 == 0) team.run(16, 1, [](size_t, size_t) {});
    most = std::max(most, team.members());
    team.dismiss();
    spin(static_cast<size_t>(program) * 7919 % 12'000);  // as long as workers take to leave
  }
  is_over = true;
  EXPECT_LT(most, size_t{kThreads});
}

INSTANTIATE_TEST_SUITE_P(Threads, Workers, ::testing::Values(1, 2, 5),
                         [](const auto& info) { return "Threads" + std::to_string(info.param); });

}  // namespace
}  // namespace tputwin::test

// Tests which fast kernel runs which operands, and that every loop runs more than once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "selftest/differential.h"

namespace tputwin::testing {
namespace {

using fast::KernelEvent;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::Not;
using ::testing::StartsWith;

// Returns the events of fast kernels for random operations of a kind on the best instruction set.
std::vector<KernelEvent> events_of(OperationKind kind, uint64_t cases = 60) {
  fast::KernelTrace trace;
  Differential differential;
  const std::string best = fast::available_isas().back();
  const auto report = differential.run(kind, {.seed = 1, .cases = cases, .isa = best});
  for (const Difference& failure : report.failures) ADD_FAILURE() << failure.text();
  return trace.events();
}

// Returns the names of the fast kernels of a kind that ran.
std::set<std::string> kernels_of(OperationKind kind, uint64_t cases = 60) {
  std::set<std::string> names;
  for (const KernelEvent& event : events_of(kind, cases))
    if (event.declined.empty()) names.insert(event.kernel);
  return names;
}

auto declined(const char* kernel, const char* why) {
  return AllOf(Field(&KernelEvent::kernel, kernel), Field(&KernelEvent::declined, why));
}

bool has_fast_kernels() { return fast::available_isas().size() > 1; }

TEST(KernelLists, EachOfAnOperationIsReached) {
  if (!has_fast_kernels()) return;
  EXPECT_THAT(kernels_of(OperationKind::int_arithmetic, 300),
              ::testing::UnorderedElementsAre("type's own elements", "16 bits", "32 bits",
                                              "64 bits", "element by element"));
  EXPECT_THAT(kernels_of(OperationKind::bitwise),
              ::testing::UnorderedElementsAre("logic", "shifts"));
  EXPECT_THAT(kernels_of(OperationKind::conv2d_bm1684, 300),
              ::testing::UnorderedElementsAre("short rows", "single position", "planes"));
  EXPECT_THAT(kernels_of(OperationKind::matmul_bm1684),
              ::testing::UnorderedElementsAre("short rows", "in place", "packed"));
  EXPECT_THAT(kernels_of(OperationKind::gather),
              ::testing::IsSupersetOf({"dense rows", "decoded indices"}));
  EXPECT_THAT(kernels_of(OperationKind::copy, 600),
              ::testing::UnorderedElementsAre("fill", "tiles", "runs"));
  EXPECT_THAT(kernels_of(OperationKind::pool2d_bm1880, 300),
              ::testing::IsSupersetOf({"flat planes", "byte rows"}));
}

TEST(KernelLists, ReportWhyTheyDecline) {
  if (!has_fast_kernels()) return;
  const auto events = events_of(OperationKind::copy);
  EXPECT_THAT(events, Contains(declined("fill", "no constant")));
  EXPECT_THAT(events, Not(Contains(declined("runs", "no constant"))));
}

TEST(KernelLists, AreTriedInTheirOrder) {
  if (!has_fast_kernels()) return;
  const auto events = events_of(OperationKind::bitwise);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kernel != "shifts") continue;
    ASSERT_GT(i, 0u);
    EXPECT_EQ(events[i - 1].operation, events[i].operation);
    EXPECT_EQ(events[i - 1].kernel, "logic");
    EXPECT_NE(events[i - 1].declined, "") << "the first kernel that does not decline runs";
  }
}

TEST(KernelLists, AreNotTracedWithoutAListener) {
  EXPECT_FALSE(fast::is_traced());
  {
    const fast::KernelTrace trace;
    EXPECT_TRUE(fast::is_traced());
  }
  EXPECT_FALSE(fast::is_traced());
}

// Sets the smallest budgets; restores them at the end.
struct Small {
  Small() { fast::set_budgets(fast::Budgets::smallest()); }
  ~Small() { fast::set_budgets({}); }
};

TEST(Budgets, CutSmallWorkIntoPieces) {
  EXPECT_EQ(fast::block_of(512, 64), 512u);
  EXPECT_EQ(fast::grain_of(1, 100), 100u);
  const Small small;
  EXPECT_EQ(fast::block_of(512, 64), 64u);
  EXPECT_EQ(fast::grain_of(1, 100), 1u);
  size_t pieces = 0;
  set_thread_count(1);
  fast::share_out(8, 8, 1000, [&](size_t begin, size_t end) { pieces += end - begin; });
  set_thread_count(0);
  EXPECT_EQ(pieces, 8u);
}

}  // namespace
}  // namespace tputwin::testing

// Recorded loops and steps, and the times that are predicted from them for several threads.
#include "insight/scaling/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/loop_recorder.h"
#include "base/parallel.h"
#include "base/workers.h"

namespace tputwin::test {
namespace {

using insight::ThreadedTime;
using ::testing::HasSubstr;

TEST(LoopRecorder, RunsLoopsInlineAndRecordsTheOuterOnes) {
  set_thread_count(4);
  std::vector<LoopTime> loops;
  {
    LoopRecorder recorder;
    with_workers([] {
      size_t pieces = 0, inner = 0;
      parallel_for(100, 3, [&](size_t begin, size_t end) {
        ++pieces;
        EXPECT_EQ(begin, 0u);
        EXPECT_EQ(end, 100u);
        parallel_for(7, 1, [&](size_t, size_t) { ++inner; });
      });
      EXPECT_EQ(pieces, 1u);
      EXPECT_EQ(inner, 1u);
      parallel_for(5, 0, [](size_t, size_t) {});
    });
    loops = recorder.take();
    EXPECT_TRUE(recorder.take().empty());
  }
  set_thread_count(0);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].count, 100u);
  EXPECT_EQ(loops[0].grain, 3u);
  EXPECT_EQ(loops[1].grain, 1u) << "a grain of 0 means 1";
  EXPECT_EQ(LoopRecorder::current(), nullptr);
}

TEST(LoopRecorder, GoesOnAfterALoopThatThrew) {
  LoopRecorder recorder;
  EXPECT_THROW(parallel_for(2, 1, [](size_t, size_t) { throw std::runtime_error("no"); }),
               std::runtime_error);
  parallel_for(2, 1, [](size_t, size_t) {});
  EXPECT_EQ(recorder.take().size(), 1u);
}

// 8 equal pieces of 100 us, and 200 us outside of loops.
const StepTime kStep{"multiply", 1'000'000, {{8, 1, 800'000}}};

TEST(Scaling, OneThreadTakesTheTimeOfTheRun) {
  EXPECT_DOUBLE_EQ(insight::predict(kStep, 1).total(), 1e6);
}

TEST(Scaling, ALoopTakesAsLongAsItsMostPiecesOnAThread) {
  const ThreadedTime three = insight::predict(kStep, 3);
  EXPECT_DOUBLE_EQ(three.serial, 200'000);
  EXPECT_DOUBLE_EQ(three.shared + three.uneven, 300'000);
  EXPECT_GT(three.opening, 0);
  const ThreadedTime many = insight::predict(kStep, 64);
  EXPECT_DOUBLE_EQ(many.shared + many.uneven, 100'000);
}

TEST(Scaling, LoopsOfOnePieceAreSerial) {
  const StepTime step{"copy", 500, {{10, 10, 500}}};
  const ThreadedTime time = insight::predict(step, 16);
  EXPECT_DOUBLE_EQ(time.serial, 500);
  EXPECT_DOUBLE_EQ(time.total(), 500);
}

TEST(Scaling, ListsTheKindsThatLoseMostFirst) {
  const std::vector<StepTime> steps{{"multiply", 1'000'000, {{1000, 1, 1'000'000}}},
                                    {"copy", 400'000, {}},
                                    {"copy", 100'000, {}},
                                    {"", 1000, {}}};
  const insight::Scaling scaling = insight::scaling(steps, 16);
  ASSERT_EQ(scaling.kinds.size(), 3u);
  EXPECT_EQ(scaling.kinds[0].name, "copy");
  EXPECT_EQ(scaling.kinds[0].steps, 2u);
  EXPECT_DOUBLE_EQ(scaling.one_thread, 1'501'000);
  const std::string text = insight::scaling_text(steps, 16);
  EXPECT_THAT(text, HasSubstr("copy                             2     0.500     0.500    0.500"));
  EXPECT_THAT(text, HasSubstr("outside of steps"));
}

TEST(Scaling, ThreadCountsDoubleUpToTheLargest) {
  EXPECT_EQ(insight::thread_counts(1), (std::vector<unsigned>{1, 64}));
  EXPECT_EQ(insight::thread_counts(6), (std::vector<unsigned>{1, 2, 4, 6, 64}));
  EXPECT_EQ(insight::thread_counts(UINT32_MAX).size(), 33u);
}

TEST(Scaling, KeepsTheLeastTimeOfEachStep) {
  const std::vector<std::vector<StepTime>> runs{
      {{"a", 5, {}}, {"b", 2, {}}}, {{"a", 3, {}}, {"b", 4, {}}}, {{"a", 1, {}}, {"c", 1, {}}}};
  const std::vector<StepTime> least = insight::least_times(runs);
  EXPECT_EQ(least[0].nanoseconds, 3u);
  EXPECT_EQ(least[1].nanoseconds, 2u) << "a run with other steps does not count";
}

}  // namespace
}  // namespace tputwin::test

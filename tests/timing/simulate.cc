// Small timelines whose times can be counted by hand, and their analyses.
#include "insight/timing/simulate.h"

#include <gmock/gmock.h>

#include "chip/family.h"
#include "insight/stacks.h"
#include "insight/symbols.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/commands.h"
#include "insight/timing/time_breakdown.h"

namespace tputwin::insight {
namespace {

using ::testing::HasSubstr;

const Chip& bm1684_chip() { return first_of(ChipFamily::bm1684); }

// Returns a timeline of a chip with cycles of one microsecond; a launch takes 10, an issue 2, a
// transfer 1.
Timeline plain_timeline() {
  Timeline timeline = timeline_of(bm1684_chip());
  timeline.chip.clock_hz = 1e6;
  timeline.chip.compute_setup_cycles = 0;
  timeline.timing.launch_seconds = 10e-6;
  timeline.timing.issue_seconds = 2e-6;
  timeline.timing.transfer_seconds = 1e-6;
  begin_launch(timeline, "kernel", 1);
  return timeline;
}

TimelineCommand& add(Timeline& timeline, Engine engine, uint32_t id, uint32_t wait,
                     uint64_t cycles) {
  TimelineCommand command;
  command.engine = engine;
  command.id = id;
  command.wait = wait;
  command.call = engine == Engine::dma ? "moves" : "adds";
  command.is_issued = true;
  command.work = {.kind = engine == Engine::dma ? Work::Kind::on_chip : Work::Kind::elements,
                  .cycles = cycles};
  return add_command(timeline, std::move(command));
}

TEST(Simulation, EnginesRunInParallelAndWaitForNumbers) {
  Timeline timeline = plain_timeline();
  add(timeline, Engine::dma, 1, 0, 20);
  add(timeline, Engine::compute, 1, 0, 30);
  add(timeline, Engine::compute, 2, 1, 5);
  add(timeline, Engine::dma, 2, 2, 4);
  simulate(timeline);
  const auto& c = timeline.commands;
  EXPECT_EQ(c[0].issue, 12u);
  EXPECT_EQ(c[0].start, 12u);
  EXPECT_EQ(c[0].end, 33u);
  EXPECT_EQ(c[1].start, 14u);
  EXPECT_EQ(c[1].delay, Delay::issue);
  EXPECT_EQ(c[2].start, 44u);
  EXPECT_EQ(c[2].delay, Delay::engine);
  EXPECT_EQ(c[2].blocker, 1u);
  EXPECT_EQ(c[3].start, 49u);
  EXPECT_EQ(c[3].delay, Delay::command);
  EXPECT_EQ(c[3].blocker, 2u);
  EXPECT_EQ(timeline.cycles(), 54u);
}

TEST(Simulation, AFullQueueAndAPollStopTheProcessor) {
  Timeline timeline = plain_timeline();
  timeline.timing.queue_depth = 2;
  for (uint32_t id = 1; id <= 4; ++id) add(timeline, Engine::compute, id, 0, 100);
  add(timeline, Engine::dma, 1, 0, 1).follows_poll = true;
  simulate(timeline);
  const auto& c = timeline.commands;
  EXPECT_EQ(c[2].issue, 16u);   // after the start of the first
  EXPECT_EQ(c[3].issue, 114u);  // after the start of the second, at 112
  EXPECT_EQ(c[4].issue, 414u);  // after the end of the fourth
}

TEST(Simulation, NumbersThatBeginAgainWaitForAllBefore) {
  Timeline timeline = plain_timeline();
  add(timeline, Engine::compute, 1, 0, 100);
  add(timeline, Engine::dma, 1, 0, 10);
  add(timeline, Engine::dma, 1, 0, 10);
  simulate(timeline);
  EXPECT_EQ(timeline.commands[2].start, timeline.commands[0].end);
  EXPECT_EQ(timeline.commands[2].delay, Delay::host);
}

TEST(Simulation, LaunchesFollowEachOther) {
  Timeline timeline = plain_timeline();
  add(timeline, Engine::compute, 1, 0, 100);
  begin_launch(timeline, "kernel", 2);
  add(timeline, Engine::compute, 1, 0, 50);
  simulate(timeline);
  EXPECT_EQ(timeline.launches[1].begin, 112u);
  EXPECT_EQ(timeline.launches[1].end, 174u);
}

// Returns loads, computations and stores in sequence, as in a serial kernel.
Timeline serial_timeline() {
  Timeline timeline = plain_timeline();
  for (uint32_t i = 0; i < 6; ++i) {
    TimelineCommand& load = add(timeline, Engine::dma, 2 * i + 1, i, 1);
    load.call = "loads";
    load.work = {.kind = Work::Kind::load, .cycles = 50'000};
    add(timeline, Engine::compute, i + 1, 2 * i + 1, 1'000);
    TimelineCommand& store = add(timeline, Engine::dma, 2 * i + 2, i + 1, 1);
    store.call = "stores";
    store.work = {.kind = Work::Kind::store, .cycles = 1'000};
  }
  simulate(timeline);
  return timeline;
}

TEST(TimeBreakdown, ASerialKernelIsAdvisedToDoubleBuffer) {
  const Timeline timeline = serial_timeline();
  const TimeBreakdown e = break_down(timeline);
  ASSERT_FALSE(e.advice.empty());
  EXPECT_EQ(e.advice[0].remedy, Remedy::double_buffer);
  EXPECT_EQ(e.groups[e.advice[0].group].call, "loads");
  EXPECT_LT(e.advice[0].cycles, e.cycles);
  const std::string text = breakdown_text(timeline, e);
  EXPECT_THAT(text, HasSubstr("loads in kernel: double-buffer"));
  EXPECT_THAT(text, HasSubstr("stores in kernel: waiting for adds"));
  EXPECT_THAT(breakdown_json(timeline, e), HasSubstr("\"remedy\": \"double-buffer"));
}

TEST(TimeBreakdown, TheCriticalPathIsTheWholeTime) {
  const Timeline timeline = serial_timeline();
  const TimeBreakdown e = break_down(timeline);
  uint64_t sum = 0;
  for (const uint64_t cycles : e.critical) sum += cycles;
  EXPECT_EQ(sum, e.cycles);
  EXPECT_EQ(e.critical_path.size(), timeline.commands.size());
}

TEST(TimeBreakdown, ConflictsAreReportedWhereTheyCount) {
  Timeline timeline = plain_timeline();
  add(timeline, Engine::compute, 1, 0, 100).work.conflicts = 900;
  simulate(timeline);
  const TimeBreakdown e = break_down(timeline);
  ASSERT_EQ(e.advice.size(), 1u);
  EXPECT_EQ(e.advice[0].remedy, Remedy::banks);
  EXPECT_EQ(e.advice[0].cycles, e.cycles - 900);
  EXPECT_EQ(e.groups[0].bound, Spent::conflicts);
}

TEST(Recording, KeepsEverythingThatTimesDependOn) {
  const Timeline timeline = serial_timeline();
  auto read =
      read_command_recording(command_recording_of(timeline, /*with_lines=*/true), bm1684_chip());
  ASSERT_TRUE(read.ok()) << read.error().message();
  read->chip = timeline.chip;
  read->timing = timeline.timing;
  simulate(*read);
  EXPECT_EQ(read->cycles(), timeline.cycles());
  EXPECT_EQ(read->launches[0].name, "kernel");
  EXPECT_EQ(read->commands[0].call, "loads");
}

// 5,000 commands of one call: the debug information is asked for its frames once.
TEST(Recording, SourceLinesAreLookedUpOnce) {
  Timeline timeline = plain_timeline();
  const StackId stack = Stacks::of_process().capture();
  for (uint32_t id = 1; id <= 5000; ++id) add(timeline, Engine::compute, id, 0, 1).stack = stack;
  const uint64_t before = frame_look_ups();
  command_recording_of(timeline, /*with_lines=*/true);
  const uint64_t first = frame_look_ups() - before;
  EXPECT_LT(first, 500u);
  command_recording_of(timeline, /*with_lines=*/true);
  EXPECT_EQ(frame_look_ups() - before, first);
}

TEST(Recording, MalformedLinesAreRefused) {
  // the last has members of `work` that earlier versions wrote
  for (const char* text :
       {"{", "[]", "{\"call\": \"x\"}", "{\"call\":\"x\",\"engine\":\"tpu\"}",
        R"j({"call":"x","engine":"bdc","id":1,"wait":0,"compute":1,"conflict":0,)j"
        R"j("macs":1,"global_bytes":0,"work":[2,8,0,3,0,0,0,1.0,1.0]})j"}) {
    auto read = read_command_recording(text, bm1684_chip());
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code(), "TW-CLI-0030");
  }
}

}  // namespace
}  // namespace tputwin::insight

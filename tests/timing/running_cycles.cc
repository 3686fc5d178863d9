// Commands priced one after the other end when the simulation of their timeline ends.
#include "insight/timing/running_cycles.h"

#include <gtest/gtest.h>

#include "chip/family.h"
#include "common/rng.h"
#include "insight/timing/commands.h"
#include "insight/timing/simulate.h"

namespace tputwin::insight {
namespace {

using testing::Rng;

Work random_work(Engine engine, Rng& random) {
  Work work{.kind = engine == Engine::dma
                        ? random.pick({Work::Kind::load, Work::Kind::store, Work::Kind::on_chip})
                        : Work::Kind::elements};
  work.cycles = random.below(1000);
  work.runs = random.below(20);
  work.latency = random.below(100);
  return work;
}

void check(ChipFamily family, Rng& random) {
  Timeline timeline = timeline_of(first_of(family));
  timeline.timing.launch_seconds = 0;
  begin_launch(timeline, {});
  RunningCycles running(timeline.chip);
  std::array<uint32_t, 2> numbers{}, waits{};
  const size_t count = random.below(200);
  for (size_t i = 0; i < count; ++i) {
    const size_t own = random.below(2);
    TimelineCommand command;
    command.engine = own == 1 ? Engine::dma : Engine::compute;
    command.id = ++numbers[own];
    // Waits never go back. Every third command waits for a later one than before.
    if (random.below(3) == 0 && numbers[1 - own] > waits[own])
      waits[own] += 1 + static_cast<uint32_t>(random.below(numbers[1 - own] - waits[own]));
    command.wait = waits[own];
    command.work = random_work(command.engine, random);
    running.add(command.engine, command.wait, command.work);
    add_command(timeline, std::move(command));
  }
  simulate(timeline);
  EXPECT_EQ(running.all(), timeline.cycles());
}

TEST(RunningCycles, AreThoseOfTheSimulation) {
  const testing::RandomCases cases(200);
  for (const ChipFamily family : {ChipFamily::bm1684, ChipFamily::bm1684x})
    for (uint64_t i = cases.first; i < cases.end(); ++i) {
      SCOPED_TRACE(cases.rerun(i));
      Rng random = cases.rng(i);
      check(family, random);
    }
}

}  // namespace
}  // namespace tputwin::insight

// Small timelines whose times can be counted by hand, and their analyses.
#include "insight/timing/simulate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "chip/family.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/commands.h"
#include "insight/timing/recorded_names.h"
#include "insight/timing/time_breakdown.h"
#include "insight/timing/work.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/conv2d_bm1684x_int8.h"

namespace tputwin::insight {
namespace {

using ::testing::HasSubstr;

const Chip& bm1684_chip() { return first_of(ChipFamily::bm1684); }
const Chip& bm1684x_chip() { return first_of(ChipFamily::bm1684x); }

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

TEST(Work, ConvolutionsPayForEachTap) {
  const TensorView out{.dtype = DType::f32, .address = 0, .shape = {1, 64, 8, 8}, .stride = {}};
  const TensorView in{.dtype = DType::f32, .address = 0, .shape = {1, 3, 10, 10}, .stride = {}};
  const OperandList list{{"output_addr", &out, Access::write}, {"input_addr", &in}};
  const Cost cost{.compute_cycles = 2 * 27, .macs = 64 * 64 * 27};
  const Work work =
      work_of(arithmetic_named("okk_bdc_conv2d"), Engine::compute, list, cost, bm1684_chip());
  EXPECT_EQ(work.kind, Work::Kind::sums);
  EXPECT_EQ(work.steps, 2u * 9);
  const ChipTiming timing = timing_of(bm1684_chip());
  EXPECT_EQ(price_of(work, bm1684_chip(), timing).latency, 2u * 9 * timing.tap_cycles);
  EXPECT_EQ(work_of(arithmetic_named("conv_f32"), Engine::compute, list, cost, bm1684_chip()).steps,
            work.steps);
}

// Returns the products a cycle of a convolution on the BM1684X, by its price in a run.
template <class Op>
double products_a_cycle(DType dtype, uint32_t ic, uint32_t oc, uint32_t extent, uint32_t kernel) {
  const Chip& chip = bm1684x_chip();
  const auto plane = [&](uint32_t channels, DType type) {
    const uint32_t bytes = element_bytes(type);
    return TensorView{.dtype = type,
                      .address = 0,
                      .shape = {1, channels, extent, extent},
                      .stride = {0, extent * extent * bytes, extent * bytes, bytes}};
  };
  Op op{};
  op.window.h.kernel = op.window.w.kernel = kernel;
  op.in = plane(ic, dtype);
  op.out = plane(oc, dtype);
  op.out.address = chip.bank_bytes();
  op.weight = Source::value(1u, dtype);
  const Work work =
      work_of(Arithmetic::convolution, Engine::compute, operands(op), cost(op, chip), chip);
  return static_cast<double>(cost(op, chip).macs) /
         static_cast<double>(price_of(work, chip, timing_of(chip)).cycles());
}

// The peaks are 32 TOPS, 16 and 2 TFLOPS at 1 GHz.
TEST(Work, NoConvolutionOfTheBm1684xExceedsThePeak) {
  for (const uint32_t ic : {3u, 16u, 32u, 64u, 100u, 512u, 1024u})
    for (const uint32_t oc : {32u, 64u, 512u})
      for (const uint32_t extent : {7u, 14u, 56u, 160u})
        for (const uint32_t kernel : {1u, 3u}) {
          SCOPED_TRACE(fmt::format("{} to {}, {}x{} on {}", ic, oc, kernel, kernel, extent));
          EXPECT_LE(products_a_cycle<Conv2dBm1684xInt8>(DType::i8, ic, oc, extent, kernel), 16384);
          EXPECT_LE(products_a_cycle<Conv2dBm1684xFloat>(DType::f16, ic, oc, extent, kernel), 8192);
          EXPECT_LE(products_a_cycle<Conv2dBm1684xFloat>(DType::f32, ic, oc, extent, kernel), 1024);
        }
}

TEST(Work, DeepConvolutionsOfTheBm1684xComeNearThePeak) {
  EXPECT_GE(products_a_cycle<Conv2dBm1684xInt8>(DType::i8, 512, 512, 16, 3), 0.9 * 16384);
  EXPECT_GE(products_a_cycle<Conv2dBm1684xFloat>(DType::f16, 512, 512, 16, 3), 0.9 * 8192);
  EXPECT_GE(products_a_cycle<Conv2dBm1684xFloat>(DType::f32, 512, 512, 16, 3), 0.9 * 1024);
}

TEST(Work, RowsThatDoNotBeginAtABeatAreSplit) {
  const TensorView lanes{.dtype = DType::b32, .shape = {4, 64, 1, 32}, .stride = {128, 0, 0, 4}};
  TensorView rows{.space = Space::global,
                  .dtype = DType::b32,
                  .shape = {4, 1, 1, 2048},
                  .stride = {8192, 0, 0, 4}};
  const OperandList list{{"dst_addr", &lanes, Access::write}, {"src_addr", &rows}};
  const auto load = [&] {
    return work_of(Arithmetic::elements, Engine::dma, list, {}, bm1684_chip());
  };
  EXPECT_EQ(load().kind, Work::Kind::load);
  EXPECT_EQ(load().runs, 1u);
  EXPECT_EQ(load().split_runs, 0u);
  rows.stride.n = 8200;
  EXPECT_EQ(load().runs, 4u);
  EXPECT_EQ(load().split_runs, 256u);  // of 128 bytes in each lane
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

TEST(Recording, MalformedLinesAreRefused) {
  for (const char* text : {"{", "[]", "{\"call\": \"x\"}", "{\"call\":\"x\",\"engine\":\"tpu\"}"}) {
    auto read = read_command_recording(text, bm1684_chip());
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code(), "TW-CLI-0030");
  }
}

}  // namespace
}  // namespace tputwin::insight

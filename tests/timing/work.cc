// The work of single commands: what the chips' rules add to the price of an operation.
#include "insight/timing/work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "chip/family.h"
#include "insight/timing/commands.h"
#include "insight/timing/recorded_names.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "selftest/random_operation.h"

namespace tputwin::insight {
namespace {

const Chip& measured_chip() { return first_of(ChipFamily::bm1684); }
const Chip& bm1684x_chip() { return first_of(ChipFamily::bm1684x); }
const ChipTiming& of_bm1684() { return timing_of(measured_chip()); }

TensorView local(DType dtype, Shape shape) { return {.dtype = dtype, .shape = shape}; }
uint64_t latency(std::string_view call, const OperandList& list, const Cost& cost) {
  return work_of(arithmetic_named(call), Engine::compute, list, cost, measured_chip()).latency;
}

// Two passes of nine taps, by the width of the input the window moves by one element or by four.
TEST(Work, ConvolutionsPayForEachTap) {
  const TensorView out = local(DType::f32, {1, 64, 8, 8});
  TensorView in = local(DType::f32, {1, 3, 10, 10});
  const OperandList list{{"output_addr", &out, Access::write}, {"input_addr", &in}};
  const Cost cost{.compute_cycles = 2 * 27, .macs = 64 * 64 * 27};
  const uint64_t taps = 2 * 9, emptied = of_bm1684().tap_cycles, stride = of_bm1684().stride_cycles;
  EXPECT_EQ(latency("okk_bdc_conv2d", list, cost), taps * (emptied + stride));
  EXPECT_EQ(latency("conv_f32", list, cost), taps * (emptied + stride));
  in.shape = {1, 3, 35, 35};
  EXPECT_EQ(latency("okk_bdc_conv2d", list, cost), taps * (emptied + 4 * stride));
}

// The units of the BM1684X stall in convolutions of fp32, and in no others.
TEST(Work, ConvolutionsOf32BitsStallOnTheBm1684x) {
  const auto latency_of = [](DType type, uint64_t cycles) {
    const TensorView out = local(type, {1, 64, 8, 8}), in = local(type, {1, 64, 8, 8});
    const OperandList list{{"output_addr", &out, Access::write}, {"input_addr", &in}};
    return work_of(Arithmetic::convolution, Engine::compute, list,
                   {.compute_cycles = cycles, .macs = 64 * 64 * 64}, bm1684x_chip())
        .latency;
  };
  const uint64_t percent = timing_of(bm1684x_chip()).stalled_percent;
  EXPECT_EQ(percent, 30u);
  EXPECT_EQ(latency_of(DType::f32, 1000) - latency_of(DType::f32, 0), 10 * percent);
  EXPECT_EQ(latency_of(DType::f16, 1000), latency_of(DType::f16, 0));
}

// Accumulations of one tap and one channel take 30 cycles a pass; the board's take about 31.
TEST(Work, SumsThatAreAddedToOldResultsPayForEachPass) {
  const TensorView out = local(DType::f32, {4, 512, 10, 10}),
                   in = local(DType::f32, {4, 1, 10, 10});
  const uint64_t passes = 4 * 8 * 4;
  const Cost cost{.compute_cycles = passes, .macs = out.shape.count()};
  const OperandList first{{"output_addr", &out, Access::write}, {"input_addr", &in}};
  const OperandList further{{"output_addr", &out, Access::read_write}, {"input_addr", &in}};
  EXPECT_EQ(passes + latency("okk_bdc_conv2d", first, cost), passes * 17);
  EXPECT_EQ(passes + latency("okk_bdc_conv2d", further, cost), passes * 30);
}

// 256 rows of 768 factors. Columns of at most 32 in a lane take one pass, for which a row pays only
// for the lanes of the left matrix.
TEST(Work, ProductsPayForFurtherColumnsAndForLanesOfTheLeftMatrix) {
  const auto product = [](uint32_t columns, uint32_t left_lanes) {
    const TensorView out = local(DType::f32, {256, 64, 1, columns});
    const TensorView left = local(DType::f32, {256, left_lanes, 1, 768 / left_lanes});
    const TensorView right = local(DType::f32, {768, 64, 1, columns});
    const OperandList list{
        {"output_addr", &out, Access::write}, {"left", &left}, {"right", &right}};
    const uint64_t passes = (columns + 31) / 32;
    return latency("okk_bdc_matmul", list,
                   {.compute_cycles = 256 * 768 * passes, .macs = out.shape.count() * 768});
  };
  const uint64_t lane = of_bm1684().left_lane_cycles;
  EXPECT_EQ(product(32, 12), 256 * 12 * lane);
  EXPECT_EQ(product(16, 64), 256 * 64 * lane);
  EXPECT_EQ(product(64, 12), 256 * 768 + 256 * 12 * lane);
  EXPECT_EQ(product(96, 12), 256 * 768 * 2 + 256 * 12 * lane);
  EXPECT_GE(product(32, 12), 256 * 768 / 10) << "10 to 20 % above the price";
  EXPECT_LE(product(32, 12), 256 * 768 / 5);
}

TEST(Work, ElementsPayForFurtherOperandsByTheirSize) {
  const TensorView wide = local(DType::f32, {1, 64, 1, 320}),
                   bytes = local(DType::u8, {1, 64, 1, 320});
  const auto of = [](const TensorView& out, const TensorView& in, uint64_t cycles) {
    const OperandList list{{"dst_addr", &out, Access::write}, {"src_addr", &in}};
    return cycles + latency("okk_bdc_add_C", list, {.compute_cycles = cycles});
  };
  EXPECT_EQ(of(wide, wide, 10), 20u);
  EXPECT_EQ(of(bytes, wide, 10), 13u);  // 320 bytes are three passes of 128
  EXPECT_EQ(of(wide, wide, 20), 40u);   // two steps access both
  EXPECT_EQ(of(wide, wide, 400), 420u) << "steps of a function that do not access memory";
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
  const double stalls = timing_of(bm1684x_chip()).stalled_percent / 100.0;
  EXPECT_GE(products_a_cycle<Conv2dBm1684xFloat>(DType::f32, 512, 512, 16, 3) * (1 + stalls),
            0.9 * 1024);
}

// Returns the work of a load into lanes.
Work load_of(const TensorView& lanes, const TensorView& rows, const Chip& chip = measured_chip()) {
  const OperandList list{{"dst_addr", &lanes, Access::write}, {"src_addr", &rows}};
  return work_of(Arithmetic::elements, Engine::dma, list, {.compute_cycles = 100}, chip);
}

TEST(Work, RowsThatDoNotBeginAtABeatAreSplit) {
  const TensorView lanes{.dtype = DType::b32, .shape = {4, 64, 1, 32}, .stride = {128, 0, 0, 4}};
  TensorView rows{.space = Space::global,
                  .dtype = DType::b32,
                  .shape = {4, 1, 1, 2048},
                  .stride = {8192, 0, 0, 4}};
  EXPECT_EQ(load_of(lanes, rows).kind, Work::Kind::load);
  EXPECT_EQ(load_of(lanes, rows).runs, 1u);
  EXPECT_EQ(load_of(lanes, rows).split_beats, 0u);
  rows.stride.n = 8200;
  EXPECT_EQ(load_of(lanes, rows).runs, 4u);
  EXPECT_EQ(load_of(lanes, rows).split_beats, 256u * 2);  // of 128 bytes in each lane
}

// 676 bytes of each channel, which follow each other in global memory or have a gap.
TEST(Work, LongRowsThatFollowEachOtherAreNotSplit) {
  const TensorView lanes{.dtype = DType::b32, .shape = {1, 370, 13, 13}, .stride = {0, 768, 52, 4}};
  TensorView rows{.space = Space::global,
                  .dtype = DType::b32,
                  .shape = {1, 370, 13, 13},
                  .stride = {250120, 676, 52, 4}};
  EXPECT_EQ(load_of(lanes, rows).split_beats, 0u);
  rows.stride.c = 680;
  EXPECT_EQ(load_of(lanes, rows).split_beats, 370u * 3);
  // 72 bytes, as filters of 3x3: two beats each
  const TensorView filters{.dtype = DType::b32, .shape = {1, 64, 1, 18}, .stride = {0, 128, 0, 4}};
  const TensorView packed{.space = Space::global,
                          .dtype = DType::b32,
                          .shape = {1, 64, 1, 18},
                          .stride = {0, 72, 0, 4}};
  EXPECT_EQ(load_of(filters, packed).split_beats, 64u * 2);
}

// Columns of a matrix of 2-byte elements, 384 bytes from one element to the next.
TEST(Work, RunsInOnePageOpenItOnce) {
  const auto open = [](uint32_t distance) {
    const TensorView lanes{.dtype = DType::u16, .shape = {1, 1, 1, 1000}, .stride = {0, 0, 0, 2}};
    const TensorView column{.space = Space::global,
                            .dtype = DType::u16,
                            .shape = {1, 1, 1, 1000},
                            .stride = {0, 0, 0, distance}};
    return load_of(lanes, column, bm1684x_chip()).runs;
  };
  EXPECT_EQ(open(2), 1u);
  EXPECT_EQ(open(4), 4u);
  EXPECT_EQ(open(384), 375u);
  EXPECT_EQ(open(1024), 1000u);
  EXPECT_EQ(open(8192), 1000u);
}

TEST(Work, CopiesInsideGlobalMemoryCrossItsBusTwice) {
  const TensorView bytes{
      .space = Space::global, .dtype = DType::u8, .shape = {1, 1, 1, 6400}, .stride = {0, 0, 0, 1}};
  const Work work = load_of(bytes, bytes);
  EXPECT_EQ(work.kind, Work::Kind::store);
  EXPECT_EQ(work.cycles, 200u);
}

// Returns the rates of a command, without its set-up, that a chip cannot exceed.
struct Rates {
  double products, lane_bytes, global_bytes;  // a cycle
};
Rates rates_of(const Operation& op, const Chip& chip) {
  const Cost price = cost(op, chip);
  const TimelineCommand command = command_of({.op = op, .engine = engine(op)}, price, chip);
  const Price spent = price_of(command.work, chip, timing_of(chip));
  const uint64_t at_work = command.work.is_transfer() ? spent.units : spent.cycles() - spent.setup;
  const auto cycles = static_cast<double>(std::max<uint64_t>(at_work, 1));
  return {static_cast<double>(price.macs) / cycles, static_cast<double>(price.local_bytes) / cycles,
          static_cast<double>(price.global_bytes) / cycles};
}

// The units of all lanes access one operand of the width of a pass in a cycle, and the bus of
// global memory moves a beat.
TEST(Work, NoCommandExceedsThePeakOfItsChip) {
  testing::Rng rng(3);
  for (const testing::OperationKind kind : testing::all_operation_kinds())
    for (int i = 0; i < 40; ++i) {
      const Operation op = testing::random_operation(rng, kind);
      for (const Chip* chip : chips()) {
        if (!is_of(chip->family, op)) continue;
        const Rates rates = rates_of(op, *chip);
        SCOPED_TRACE(fmt::format("{} on {}: {}", to_string(kind), chip->name, describe(op)));
        EXPECT_LE(rates.products, chip->lanes * chip->macs_per_lane_cycle);
        EXPECT_LE(rates.global_bytes, chip->dma_bytes_per_cycle);
        if (engine(op) != Engine::compute || arithmetic(op) != Arithmetic::elements) continue;
        EXPECT_LE(rates.lane_bytes, chip->lanes * chip->eu_bytes);
      }
    }
}

}  // namespace
}  // namespace tputwin::insight

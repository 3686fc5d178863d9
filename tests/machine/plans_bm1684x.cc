// Programs of the BM1684X that run repeatedly: with and without plans, all memory is equal after
// every run, also when bytes change in between.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/plan_pair.h"
#include "ops/fast/fast.h"
#include "selftest/overlapping.h"
#include "selftest/random_operation.h"

namespace tputwin::test::on_bm1684x {
namespace {

using testing::OperationKind;
using testing::RandomCases;
using testing::Rng;

// Addresses of the random operations, then of constants.
constexpr uint64_t kConstants = testing::kTestGlobalBytes, kConstantBytes = 4 << 20,
                   kGlobal = kConstants + kConstantBytes;

// Returns the chip with smaller memories, which are compared faster.
const Chip& chip() { return testing::chip_of(OperationKind::conv2d_bm1684x_float); }

bool is_legal(const Operation& op) { return testing::is_legal(op, chip(), kGlobal); }

// Sometimes makes operands share bytes.
Operation overlapping(Rng& rng, Operation op, uint32_t of) {
  if (rng.chance(1, of)) testing::overlap_operands(rng, op, chip(), testing::kTestGlobalBytes);
  return op;
}

Operation random_other(Rng& rng) {
  using enum OperationKind;
  const OperationKind kind =
      rng.pick({copy_bm1684x, copy_bm1684x, copy_matrix_bm1684x, float_arithmetic_bm1684x,
                int_arithmetic, convert, requantize, pool2d_bm1684x_float, gather, mask_select});
  return overlapping(rng, testing::random_operation(rng, kind, chip()), 3);
}

void add(ProgramBuilder& b, const Operation& op) { b.add(op, engine(op), 0); }

// Loads an operand from `address`. fill() writes one number to all of it.
void load(ProgramBuilder& b, const TensorView& to, uint64_t address) {
  TensorView from = to;
  from.space = Space::global;
  from.address = address / 4 * 4;
  from.stride = system_stride(to.shape, element_bytes(to.dtype));
  const Copy copy{.dst = to, .src = Source::tensor(from)};
  if (is_legal(copy)) add(b, copy);
}
void fill(ProgramBuilder& b, const TensorView& view) {
  const Copy copy{.engine = Engine::compute, .dst = view, .src = Source::value(3u, view.dtype)};
  if (is_legal(copy)) add(b, copy);
}

// Returns the int32 accumulators of a convolution with a tensor of weights; nullptr for other
// operations.
const TensorView* sums_of(const Operation& op) {
  const auto sums = [](const auto& conv) {
    return conv.out.dtype == DType::i32 && !conv.weight.is_constant ? &conv.out : nullptr;
  };
  if (const auto* conv = std::get_if<Conv2dBm1684xInt8>(&op))
    return conv->accumulate ? nullptr : sums(*conv);
  if (const auto* conv = std::get_if<Depthwise2dBm1684xInt8>(&op)) return sums(*conv);
  return nullptr;
}
Operation random_sums(Rng& rng) {
  using enum OperationKind;
  for (;;) {
    const Operation op = testing::random_operation(
        rng, rng.pick({conv2d_bm1684x_int8, depthwise2d_bm1684x_int8}), chip());
    if (sums_of(op) != nullptr) return op;
  }
}

// Returns a number for each channel of a view, loaded from `address`, or one number for all.
Source parameter(Rng& rng, ProgramBuilder& b, const TensorView& of, uint64_t address,
                 int32_t constant) {
  if (rng.chance(1, 4)) return Source::value(static_cast<uint32_t>(constant), DType::i32);
  TensorView view = of;
  view.dtype = DType::i32;
  view.plane_stride = 0;
  view.address = of.address / chip().lane_bytes * chip().lane_bytes + chip().lane_bytes - 512 +
                 rng.below(16) * 16;
  view.shape = {1, of.shape.c, 1, 1};
  view.stride = {4, 4, 4, 4};
  load(b, view, address);
  view.shape = of.shape;
  view.stride = {0, 4, 0, 0};
  return Source::tensor(view);
}

// Adds the epilogue of a convolution with int32 accumulators: a bias, and a requantization, in
// place or elsewhere, of all accumulators or sometimes of some. Afterwards the accumulators may be
// overwritten, completely or partly.
void add_epilogues(Rng& rng, ProgramBuilder& b, const TensorView& all, uint64_t address) {
  TensorView sums = all;
  if (rng.chance(1, 6) && sums.shape.h > 1) --sums.shape.h;
  if (rng.chance(2, 3)) {
    const IntArithmetic sum{
        .out = sums, .a = parameter(rng, b, sums, address, 1000), .b = Source::tensor(sums)};
    if (is_legal(sum)) add(b, sum);
  }
  Requantize op{
      .in = sums,
      .multiplier = parameter(rng, b, sums, address + 8192, rng.pick({1 << 30, 1 << 20, -12345})),
      .shift =
          Source::value(static_cast<uint32_t>(-rng.pick({33, 40, 50, 20, 29, 31})), DType::i32),
      .offset = parameter(rng, b, sums, address + 16384, -3),
      .rounding = static_cast<Rounding>(rng.below(7))};
  op.out = sums;
  if (rng.chance(1, 4)) op.out.address += rng.range(1, 16) * 4;
  op.out.dtype = rng.pick({DType::i8, DType::u8, DType::i16});
  op.out.plane_stride = is_16bit(op.out.dtype) ? 1 : 0;
  for (uint32_t* stride : {&op.out.stride.n, &op.out.stride.c, &op.out.stride.h, &op.out.stride.w})
    *stride = *stride / 4 * element_bytes(op.out.dtype);
  if (!is_legal(op)) return;
  add(b, op);
  TensorView stored = op.out;
  stored.space = Space::global;
  stored.address = rng.below(1000) * 64;
  stored.stride = system_stride(stored.shape, element_bytes(stored.dtype));
  const Copy store{.dst = stored, .src = Source::tensor(op.out)};
  if (is_legal(store)) add(b, store);
  TensorView written_over = all;
  for (uint32_t* extent : {&written_over.shape.c, &written_over.shape.h, &written_over.shape.w})
    if (rng.chance(1, 4)) *extent = rng.range(1, *extent);
  if (rng.chance(3, 4)) fill(b, written_over);
}

// Adds a convolution or product of constants, as one instruction or several that share them, with
// other operations before, between and after. Its constants may be overwritten afterwards, so that
// their loads can be skipped.
void add_layer(Rng& rng, ProgramBuilder& b) {
  using enum OperationKind;
  const Operation drawn =
      rng.coin()
          ? testing::random_operation(
                rng,
                rng.pick({conv2d_bm1684x_float, conv2d_bm1684x_int8, depthwise2d_bm1684x_int8}),
                chip())
          : random_sums(rng);
  const Operation op = overlapping(rng, drawn, 8);
  const OperandList constants = fast::constant_operands(op);
  uint64_t address = kConstants + rng.below(kConstantBytes / 2);
  const auto disturb = [&](uint32_t of) {
    if (rng.chance(1, of)) add(b, random_other(rng));
  };
  const uint32_t slices = rng.chance(1, 3) ? 2 : 1;
  for (uint32_t i = 0; i < slices; ++i) {
    if (i == 0 || rng.coin())
      for (const Operand& constant : constants) load(b, *constant.view, address += 4096);
    disturb(4);
    const TensorView& input = *operands(op)[1].view;
    if (rng.coin()) load(b, input, rng.below(1000) * 64);
    add(b, op);
    if (rng.coin()) fill(b, input);
    disturb(6);
    if (const TensorView* sums = sums_of(op)) add_epilogues(rng, b, *sums, address + 65536);
    disturb(4);
  }
  if (rng.chance(2, 3))
    for (const Operand& constant : constants) fill(b, *constant.view);
}

std::vector<Instruction> random_program(Rng& rng) {
  ProgramBuilder b(chip());
  for (uint32_t left = rng.range(1, 5); left > 0; --left)
    rng.chance(1, 5) ? add(b, random_other(rng)) : add_layer(rng, b);
  return b.program();
}

class PlansBm1684x : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(PlansBm1684x, LeaveTheBytesOfRunsWithoutThem) {
  const bool packs = GetParam() != "reference";
  const RandomCases cases(packs ? 64 : 2);
  PlanStatistics done;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 2));
    PlanPair pair(rng, {.bytes = kGlobal,
                        .constants = kConstants,
                        .constant_bytes = kConstantBytes,
                        .chip = &chip()});
    pair.add(random_program(rng));
    if (rng.coin()) pair.add(random_program(rng));
    for (int run_index = 0; run_index < 6; ++run_index) {
      const std::string difference = pair.run(rng.below(pair.programs()));
      ASSERT_EQ(difference, "") << "in run " << run_index << " of\n" << pair.text();
      if (rng.coin()) pair.change_something();
    }
    pair.add_statistics(done);
  }
  if (!packs || cases.count < 64) return;
  EXPECT_GT(done.packed, 7u);
  EXPECT_GT(done.elided_loads, 7u);
  EXPECT_GT(done.fused_epilogues, 0u);
  EXPECT_GT(done.fused_moves, 0u);
}

INSTANTIATE_TEST_SUITE_P(Every, PlansBm1684x,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::test::on_bm1684x

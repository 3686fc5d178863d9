// Programs that run repeatedly: with and without plans, all memory is equal after every run, also
// when bytes change in between.
#include "machine/planned_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/plan_pair.h"
#include "machine/programs.h"
#include "ops/fast/fast.h"
#include "selftest/fill_operands.h"
#include "selftest/overlapping.h"
#include "selftest/random_operation.h"

namespace tputwin::test {
namespace {

using testing::OperationKind;
using testing::RandomCases;
using testing::Rng;

// Addresses of the random operations, then of constants, then of bytes that fill all lanes.
constexpr uint64_t kConstants = testing::kTestGlobalBytes, kConstantBytes = 1 << 20,
                   kFilling = kConstants + kConstantBytes, kGlobal = kFilling + (2 << 20);

// Overwrites all bytes of all lanes.
void fill_lanes(ProgramBuilder& b) {
  b.load(local_tensor(bm1880(), 0, {1, 32, 256, 256}, true, DType::i8), kFilling);
}

// Sometimes with operands that share bytes.
Operation random_kind(Rng& rng) {
  using enum OperationKind;
  Operation op = testing::random_operation(
      rng, rng.pick({conv2d_bm1880, depthwise2d_bm1880, pool2d_bm1880, matrix_mac, elementwise,
                     elementwise, lut, mdsum, dma_tensor, dma_tensor, dma_matrix, dma_lrn_shift,
                     winograd2d, dma_winograd_kernel}));
  if (rng.chance(1, 3)) testing::overlap_operands(rng, op, bm1880(), testing::kTestGlobalBytes);
  return op;
}

Conv2dBm1880 random_convolution(Rng& rng) {
  return std::get<Conv2dBm1880>(testing::random_operation(rng, OperationKind::conv2d_bm1880));
}

// Adds the load of a map from global memory, or its store, with gaps or without, if it is legal.
void add_move(Rng& rng, ProgramBuilder& b, TensorView map, bool load) {
  map.dtype = DType::i8;
  map.plane_stride = 0;
  TensorView global = global_tensor(rng.below(testing::kTestGlobalBytes), map.shape);
  if (rng.chance(1, 3)) {
    global.stride.h += rng.below(5);
    global.stride.c = global.stride.h * map.shape.h + rng.below(20);
    global.stride.n = global.stride.c * map.shape.c;
  }
  const Operation move =
      DmaTensor{.dst = load ? map : global, .src = load ? global : map, .explicit_strides = true};
  if (testing::is_legal(move, bm1880(), kGlobal)) b.add(move, Engine::dma, 0);
}

// max(out, constant) in place
void add_relu(Rng& rng, ProgramBuilder& b, const TensorView& out, bool is_unsigned) {
  const Operation relu = Elementwise{.kind = Elementwise::Kind::max,
                                     .out = out,
                                     .a = out,
                                     .b_is_constant = true,
                                     .constant = rng.pick({0, 0, 3, 100}),
                                     .b_signed = !is_unsigned};
  if (testing::is_legal(relu, bm1880(), kGlobal)) b.add(relu, Engine::compute, 0);
}

// A residual on the results of a convolution: mul_const of a map of the same shape, in place or
// from elsewhere, and mac_const of the results to that. The layout makes it legal in most cases.
struct Residual {
  Elementwise mul, mac;
};
std::optional<Residual> random_residual(Rng& rng, const Conv2dBm1880& op) {
  TensorView wide = op.out;
  const bool is_unsigned = rng.chance(1, 4);
  wide.dtype = is_unsigned ? DType::u16 : DType::i16;
  const uint64_t lane_bytes = bm1880().lane_bytes, lane = op.out.address / lane_bytes;
  const uint32_t bytes = op.out.shape.n * op.out.stride.n;
  wide.plane_stride = static_cast<uint32_t>((bytes + 15) / 16 * 16);
  wide.address = lane * lane_bytes + rng.below(lane_bytes) / 16 * 16;
  TensorView low = wide;
  low.plane_stride = 0;
  low.dtype = is_unsigned ? DType::u8 : DType::i8;
  TensorView addend = low;
  if (rng.chance(1, 3)) addend.address = lane * lane_bytes + rng.below(lane_bytes) / 16 * 16;
  if (rng.chance(1, 4)) addend.dtype = rng.pick({DType::i8, DType::u8});
  const auto factor = [&] {
    return static_cast<int32_t>(rng.below(256)) - (is_unsigned ? 0 : 128);
  };
  Residual residual{
      .mul = {.kind = Elementwise::Kind::mul, .out = wide, .a = addend, .b_is_constant = true},
      .mac = {.kind = Elementwise::Kind::mac, .out = low, .a = op.out, .b_is_constant = true}};
  residual.mac.out.plane_stride = wide.plane_stride;
  residual.mul.constant = factor(), residual.mac.constant = factor();
  residual.mul.b_signed = residual.mac.b_signed = !is_unsigned;
  residual.mul.rshift = rng.coin() ? 0 : rng.below(8);
  residual.mac.rshift = rng.below(12), residual.mac.lshift = rng.coin() ? 0 : rng.below(10);
  for (const Elementwise& e : {residual.mul, residual.mac})
    if (!testing::is_legal(Operation(e), bm1880(), kGlobal)) return {};
  return residual;
}

class Disturber {
 public:
  Disturber(Rng& rng, ProgramBuilder& b) : rng_(rng), b_(b) {}
  void operator()(uint32_t of) {
    if (!rng_.chance(1, of)) return;
    const Operation other = random_kind(rng_);
    b_.add(other, engine(other), 0);
  }

 private:
  Rng& rng_;
  ProgramBuilder& b_;
};

// Adds a convolution with constants, as one instruction or several that share them, with other
// operations before, between and after. Its maps may be loaded before and stored after.
void add_layer(Rng& rng, ProgramBuilder& b) {
  const Conv2dBm1880 op = random_convolution(rng);
  const uint64_t address = kConstants + rng.below(kConstantBytes / 2);
  Disturber disturb(rng, b);
  const uint32_t slices = rng.chance(1, 3) ? 2 : 1;
  const bool moves = rng.coin();
  for (uint32_t i = 0; i < slices; ++i) {
    if (i == 0 || rng.coin()) load_constants(b, op, address);
    if (moves && (i == 0 || rng.coin())) add_move(rng, b, op.in, /*load=*/true);
    disturb(moves ? 6 : 3);
    const auto residual = rng.coin() ? random_residual(rng, op) : std::nullopt;
    const bool mul_first = rng.chance(1, 4);
    if (residual && rng.chance(2, 3)) add_move(rng, b, residual->mul.a, /*load=*/true);
    if (residual && mul_first) b.add(residual->mul, Engine::compute, 0);
    b.add(op, Engine::compute, 0);
    disturb(moves || residual ? 9 : 3);
    if (residual && !mul_first) b.add(residual->mul, Engine::compute, 0);
    if (residual) b.add(residual->mac, Engine::compute, 0);
    TensorView out = residual ? residual->mac.out : op.out;
    out.plane_stride = 0;
    disturb(moves ? 9 : 3);
    if (rng.coin()) add_relu(rng, b, out, !is_signed(out.dtype));
    if (moves && rng.chance(3, 4)) add_move(rng, b, out, /*load=*/false);
    if (moves && rng.chance(1, 4)) add_move(rng, b, out, /*load=*/false);
  }
  if (rng.chance(2, 3)) fill_lanes(b);
  if (rng.chance(1, 12)) b.store(b.tensor(0), address & ~uint64_t{15});  // into its constants
}

// Adds convolutions that read one input, each with results elsewhere and perhaps its own window,
// and between them operations that may write to the input.
void add_siblings(Rng& rng, ProgramBuilder& b) {
  const Conv2dBm1880 first = random_convolution(rng);
  const uint64_t lane_bytes = bm1880().lane_bytes, lane = first.out.address / lane_bytes;
  Disturber disturb(rng, b);
  add_move(rng, b, first.in, /*load=*/true);
  for (uint32_t left = rng.range(2, 4); left > 0; --left) {
    Conv2dBm1880 op = first;
    if (rng.chance(3, 4)) op.out.address = lane * lane_bytes + rng.below(lane_bytes) / 16 * 16;
    if (rng.chance(1, 4)) std::swap(op.window.h.pad_before, op.window.h.pad_after);
    if (rng.chance(1, 4)) op.in.dtype = rng.pick({DType::i8, DType::u8});
    if (!testing::is_legal(Operation(op), bm1880(), kGlobal)) continue;
    load_constants(b, op, kConstants + rng.below(kConstantBytes / 2));
    b.add(op, Engine::compute, 0);
    if (rng.coin()) add_relu(rng, b, op.out, !is_signed(op.out.dtype));
    if (rng.coin()) add_move(rng, b, op.out, /*load=*/false);
    if (rng.chance(1, 8)) add_relu(rng, b, op.in, !is_signed(op.in.dtype));
    if (rng.chance(1, 8)) add_move(rng, b, op.in, /*load=*/true);
    disturb(8);
  }
  if (rng.chance(2, 3)) fill_lanes(b);
}

// Adds a layer with one filter for each channel.
void add_depthwise_layer(Rng& rng, ProgramBuilder& b) {
  const auto op = std::get<Depthwise2dBm1880>(
      testing::random_operation(rng, OperationKind::depthwise2d_bm1880));
  Disturber disturb(rng, b);
  const uint32_t slices = rng.chance(1, 3) ? 2 : 1;
  if (rng.coin()) add_move(rng, b, op.weight, /*load=*/true);
  for (uint32_t i = 0; i < slices; ++i) {
    if (i == 0 || rng.coin()) add_move(rng, b, op.in, /*load=*/true);
    disturb(6);
    b.add(op, Engine::compute, 0);
    disturb(6);
    if (rng.coin()) add_relu(rng, b, op.out, false);
    if (rng.chance(3, 4)) add_move(rng, b, op.out, /*load=*/false);
  }
  if (rng.chance(2, 3)) fill_lanes(b);
}

std::vector<Instruction> random_program(Rng& rng) {
  ProgramBuilder b;
  for (uint32_t left = rng.range(1, 6); left > 0; --left) {
    if (rng.chance(1, 5)) {
      const Operation other = random_kind(rng);
      b.add(other, engine(other), 0);
    } else if (rng.chance(1, 4)) {
      add_depthwise_layer(rng, b);
    } else if (rng.chance(1, 4)) {
      add_siblings(rng, b);
    } else {
      add_layer(rng, b);
    }
    if (rng.chance(1, 6)) b.call("host", rng.coin());
  }
  return b.program();
}

class Plans : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(Plans, LeaveTheBytesOfRunsWithoutThem) {
  const bool packs = GetParam() != "reference" && GetParam() != "onednn";
  const RandomCases cases(packs ? 30 : 3);
  PlanStatistics done;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 2));
    PlanPair pair(rng,
                  {.bytes = kGlobal, .constants = kConstants, .constant_bytes = kConstantBytes});
    pair.add(random_program(rng));
    if (rng.coin()) pair.add(random_program(rng));
    for (int run_index = 0; run_index < 8; ++run_index) {
      const std::string difference = pair.run(rng.below(pair.programs()));
      ASSERT_EQ(difference, "") << "in run " << run_index << " of\n" << pair.text();
      if (rng.coin()) pair.change_something();
    }
    pair.add_statistics(done);
  }
  if (!packs || cases.count < 30) return;
  EXPECT_GT(done.packed, 7u);
  EXPECT_GT(done.elided_loads, 7u);
  EXPECT_GT(done.fused_relus, 7u);
  EXPECT_GT(done.fused_residuals, 5u);
  EXPECT_GT(done.fused_moves, 7u);
  EXPECT_GT(done.shared_inputs, 5u);
}

// Constants at distant addresses that rarely change: their pages are released until they are
// needed.
TEST_P(Plans, LeaveTheBytesThatNothingReads) {
  const bool packs = GetParam() != "reference" && GetParam() != "onednn";
  const RandomCases cases(packs ? 20 : 2);
  PlanStatistics done;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 2));
    PlanPair pair(rng,
                  {.bytes = kGlobal, .constants = kConstants, .constant_bytes = kConstantBytes});
    for (int program = 0; program < 2; ++program) pair.add(random_program(rng));
    for (int run_index = 0; run_index < 14; ++run_index) {
      const bool looks = run_index == 13 || rng.chance(1, 8);
      ASSERT_EQ(
          pair.run(rng.chance(1, 4), looks ? PlanPair::Look::everywhere : PlanPair::Look::little),
          "")
          << "in run " << run_index << " of\n"
          << pair.text();
      pair.add_statistics(done);
      if (rng.chance(1, 6)) pair.change_something();
    }
  }
  if (!packs || cases.count < 20) return;
  EXPECT_GT(done.released_bytes, 0u);
  EXPECT_GT(done.deferred_loads, 7u);
}

INSTANTIATE_TEST_SUITE_P(Every, Plans,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

// A convolution of constants, whose bytes in lanes are overwritten at the end.
struct Layer {
  Layer() {
    Conv2dBm1880 op;
    op.in = local_tensor(bm1880(), 0x4000, {1, 32, 8, 8}, true, DType::i8);
    op.out = local_tensor(bm1880(), 0x6000, {1, 32, 8, 8}, true, DType::i8);
    op.weight = conv_weight(0, {32, 32, 1, 1}, DType::i8);
    op.rshift = 6;
    ProgramBuilder b;
    b.load(op.in, 0);
    end_of_constants = load_constants(b, op, kConstants);
    b.add(op, Engine::compute, 0);
    b.store(op.out, kOut);
    fill_lanes(b);
    program = b.program();
  }
  static constexpr uint64_t kOut = 0x8000, kOutBytes = 32 * 8 * 8;
  uint64_t end_of_constants = 0;
  std::vector<Instruction> program;
};

std::vector<uint8_t> output(const Device& device) {
  const uint8_t* out = device.memories().read_global().data() + Layer::kOut;
  return {out, out + Layer::kOutBytes};
}

class OneLayer : public ::testing::Test {
 protected:
  OneLayer() {
    Rng rng(7);
    testing::fill_random(rng, {device_->memories().prepare_write(0, kGlobal), kGlobal});
  }
  // Returns the output that a device without plans computes from the current bytes.
  std::vector<uint8_t> expected() {
    auto other = make_device({.chip = &bm1880(), .global_bytes = kGlobal, .plans = false});
    std::memcpy(other->memories().prepare_write(0, kGlobal),
                device_->memories().read_global().data(), kGlobal);
    EXPECT_TRUE(other->run(layer_.program).ok());
    return output(*other);
  }
  void run_and_compare() {
    const auto wanted = expected();
    ASSERT_TRUE(device_->run(plan_).ok());
    EXPECT_EQ(output(*device_), wanted);
  }
  Layer layer_;
  std::unique_ptr<Device> device_ = make_device({.chip = &bm1880(), .global_bytes = kGlobal});
  PlannedProgram plan_{layer_.program};
};

TEST_F(OneLayer, IsPackedFromTheSecondRunOn) {
  run_and_compare();
  EXPECT_EQ(plan_.statistics().prepared, 0u);
  run_and_compare();
  run_and_compare();
  if (fast::selected_isa() == "reference") return;
  EXPECT_EQ(plan_.statistics().packed, 1u);
  // The load of the weights: its bytes are not live at the end.
  EXPECT_EQ(plan_.statistics().elided_loads, 1u);
  EXPECT_EQ(plan_.statistics().fused_moves, 2u);
}

TEST_F(OneLayer, SeesConstantsThatTheHostWrites) {
  for (int i = 0; i < 3; ++i) run_and_compare();
  *device_->memories().prepare_write(kConstants + 5, 1) ^= 0x55;
  run_and_compare();
  *device_->memories().prepare_write(layer_.end_of_constants - 1, 1) ^= 0x55;
  run_and_compare();
  *device_->memories().prepare_write(0, 1) ^= 0x55;  // the input
  run_and_compare();
}

TEST_F(OneLayer, SeesConstantsThatAnotherProgramWrites) {
  for (int i = 0; i < 3; ++i) run_and_compare();
  ProgramBuilder b;
  b.load(b.tensor(0), 0x100).store(b.tensor(0), kConstants);
  ASSERT_TRUE(device_->run(b.program()).ok());
  run_and_compare();
  b.store(b.tensor(0x100), kConstants + 64);
  PlannedProgram other(b.program());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(device_->run(other).ok());
    run_and_compare();
  }
}

TEST_F(OneLayer, SeesConstantsThatAnybodyMayWrite) {
  for (int i = 0; i < 3; ++i) run_and_compare();
  uint8_t* constants = device_->memories().expose_global(kConstants, 64);
  for (int i = 0; i < 3; ++i) {
    constants[i * 7] ^= 0x7f;
    run_and_compare();
  }
  device_->memories().cover_global(kConstants, 64);
  for (int i = 0; i < 3; ++i) run_and_compare();
  uint8_t* anywhere = device_->memories().take_global().data();
  for (int i = 0; i < 3; ++i) {
    anywhere[kConstants + 1] ^= 0x7f;
    run_and_compare();
  }
}

TEST_F(OneLayer, FollowsTheInstructionSet) {
  for (const std::string& isa : fast::available_isas()) {
    ASSERT_TRUE(fast::select_isa(isa));
    for (int i = 0; i < 2; ++i) run_and_compare();
  }
  fast::select_isa("");
}

TEST_F(OneLayer, ObserversSeeEveryInstruction) {
  struct Count final : Observer {
    size_t seen = 0;
    void on_instruction(const Instruction&, const Footprint&, const Cost&) override { ++seen; }
  } count;
  for (int i = 0; i < 3; ++i) run_and_compare();
  device_->observers().add(&count);
  run_and_compare();
  device_->observers().remove(&count);
  EXPECT_EQ(count.seen, layer_.program.size());
  run_and_compare();
}

TEST(Plan, ABrokenRuleIsFoundAtItsInstruction) {
  ProgramBuilder b;
  b.load(b.tensor(0), 0).store(b.tensor(0), kGlobal);
  auto device = make_device({.chip = &bm1880()});
  PlannedProgram plan(b.program());
  for (int i = 0; i < 3; ++i) {
    const Status status = device->run(plan);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code(), "TW-MEM-0001");
    device->errors().clear();
  }
}

}  // namespace
}  // namespace tputwin::test

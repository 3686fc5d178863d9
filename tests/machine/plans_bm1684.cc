// Convolutions of the BM1684 that run repeatedly: with and without plans, all memory is equal after
// every run, also when bytes change in between.
#include <gtest/gtest.h>

#include "common/command_program.h"
#include "common/rng.h"
#include "machine/plan_pair.h"
#include "ops/fast/fast.h"
#include "selftest/operation_kinds.h"

namespace tputwin::test::on_bm1684 {
namespace {

using testing::CommandProgram;
using testing::OperationKind;
using testing::RandomCases;
using testing::Rng;

// Addresses: maps, then constants.
constexpr uint64_t kConstants = 4 << 20, kConstantBytes = 4 << 20,
                   kGlobal = kConstants + kConstantBytes;

// Returns the chip with smaller memories, which are compared faster.
const Chip& chip() { return testing::chip_of(OperationKind::conv2d_bm1684); }

// Layers with their own constants, from map to map, and fills that overwrite their weights.
class Layers {
 public:
  Layers(Rng& rng, bool of_bytes) : rng_(rng), of_bytes_(of_bytes), program_(chip()) {}

  std::vector<Instruction> program() {
    for (uint32_t count = rng_.range(1, 3); count > 0; --count) of_bytes_ ? add_bytes() : add_f32();
    return program_.program();
  }

 private:
  template <class Op>
  void add(uint8_t pack, uint8_t weight_pack, DType bias_type) {
    Op op;
    for (Axis* axis : {&op.window.h, &op.window.w})
      *axis = {
          .kernel = rng_.range(1, 3), .stride = rng_.range(1, 2), .pad_before = rng_.range(0, 1)};
    const Shape in{rng_.range(1, 6), rng_.range(1, 70), rng_.range(3, 9), rng_.range(3, 9)};
    const Shape out{in.n, rng_.range(1, 70), op.window.h.output(in.h), op.window.w.output(in.w)};
    const DType type = of_bytes_ ? rng_.pick({DType::i8, DType::u8}) : DType::f32;
    op.in = program_.lanes(in, type, true, pack);
    program_.load(op.in, rng_.below(1 << 18) * 4);
    op.out = program_.lanes(out, of_bytes_ ? DType::i8 : DType::f32, true, pack);
    if (rng_.chance(1, 6)) op.out.address = op.in.address + rng_.below(4) * 128;
    op.weight = program_.lanes({in.c, out.c, op.window.h.kernel, op.window.w.kernel},
                               of_bytes_ ? DType::i8 : DType::f32, false, weight_pack);
    program_.load(op.weight, constants());
    op.bias = program_.lanes({1, out.c, 1, 1}, bias_type, false);
    program_.load(*op.bias, constants());
    if constexpr (requires { op.rshift; }) op.rshift = rng_.range(0, 12);
    program_.add(op);
    program_.store(op.out, (1 << 21) + rng_.below(1 << 18) * 4);
    if (rng_.coin()) clear(op.weight);
    program_.free_lanes();
  }
  void add_f32() { add<Conv2dBm1684>(1, 2, DType::f32); }
  void add_bytes() { add<Conv2dBm1684Int8>(4, 4, DType::i16); }

  // Overwrites all of a view's cells, so that their load is not live-out.
  void clear(const TensorView& view) {
    TensorView words = program_.lanes({1, view.shape.c, 1, 1}, DType::b32, false);
    words.address = view.address;
    program_.add(
        Copy{.engine = Engine::compute, .dst = words, .src = Source::value(0u, DType::b32)});
  }
  uint64_t constants() { return kConstants + rng_.below(1 << 18) * 4; }

  Rng& rng_;
  const bool of_bytes_;
  CommandProgram program_;
};

class PlansBm1684 : public ::testing::TestWithParam<std::string> {
 protected:
  PlansBm1684() { fast::select_isa(GetParam()); }
  ~PlansBm1684() override { fast::select_isa(""); }
};

TEST_P(PlansBm1684, LeaveTheBytesOfRunsWithoutThem) {
  const bool packs = GetParam() != "reference";
  const RandomCases cases(packs ? 8 : 1);
  PlanStatistics done{};
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    PlanPair pair(rng, {.bytes = kGlobal,
                        .constants = kConstants,
                        .constant_bytes = kConstantBytes,
                        .chip = &chip()});
    pair.add(Layers(rng, rng.coin()).program());
    for (int run_index = 0; run_index < 5; ++run_index) {
      const std::string difference = pair.run(0);
      ASSERT_EQ(difference, "") << "in run " << run_index << " of\n" << pair.text();
      if (rng.coin()) pair.change_something();
    }
    pair.add_statistics(done);
  }
  if (!packs || cases.count < 8) return;
  EXPECT_GT(done.packed, 3u);
  EXPECT_GT(done.elided_loads, 0u);
}

INSTANTIATE_TEST_SUITE_P(Every, PlansBm1684,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::test::on_bm1684

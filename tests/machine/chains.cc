// Programs of element-wise operations on tensors of one shape, which run repeatedly: results that
// are overwritten or live-out, tensors that share bytes in part, lookups that find no entry. With
// and without plans, all memory is equal after every run.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/pass_test.h"
#include "machine/plan_pair.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "selftest/random_operation.h"

namespace tputwin::test::of_chains {
namespace {

using testing::RandomCases;
using testing::Rng;

const Chip& chip() { return testing::chip_of(testing::OperationKind::int_arithmetic); }

// Returns a tensor in the first bytes of lanes. Rows are aligned or dense.
TensorView tensor_at(uint64_t address, const Shape& shape, DType dtype, bool aligned) {
  TensorView view = local_tensor(chip(), address, shape, true, dtype);
  view.stride = lane_stride(chip(), shape, 0, element_bytes(dtype), aligned);
  view.plane_stride = element_bytes(dtype) == 2;
  return view;
}

// Draws operations that read what those before them wrote more often than not.
class Chain {
 public:
  Chain(Rng& rng, ProgramBuilder& program) : rng_(rng), program_(program) {
    const uint32_t lanes = chip().lanes;
    shape_ = {static_cast<uint32_t>(rng.range(1, 3)),
              rng.pick({1u, 3u, lanes - 1, lanes, lanes + 1, 2 * lanes + 5}),
              static_cast<uint32_t>(rng.range(1, 3)), rng.pick({1u, 5u, 16u, 64u, 100u, 197u})};
    aligned_ = rng.coin();
    const TensorView wide = tensor_at(0, shape_, DType::f32, true);
    const uint64_t rounds = (shape_.c + lanes - 1) / lanes;
    size_ = (shape_.n * rounds * std::max<uint64_t>(wide.stride.c, 64) * 2 + 63) / 64 * 64;
  }

  void add_steps(uint32_t count) {
    while (count-- > 0) add_step();
    // Later instructions overwrite most results.
    for (const TensorView& view : results_)
      if (!rng_.chance(1, 3))
        add(Copy{.engine = Engine::compute, .dst = view, .src = Source::value(3u, view.dtype)});
  }

 private:
  static uint64_t tables() { return chip().lane_bytes - 4096; }

  TensorView draw(DType dtype) {
    const uint64_t slots = std::clamp<uint64_t>(tables() / size_, 1, 5);
    uint64_t address = size_ * rng_.below(slots);
    if (rng_.chance(1, 12)) address += 64;
    return tensor_at(address, shape_, dtype, aligned_ != rng_.chance(1, 12));
  }
  TensorView source(DType dtype) {
    std::vector<TensorView> fitting;
    for (const TensorView& view : results_)
      if (view.dtype == dtype) fitting.push_back(view);
    if (fitting.empty() || rng_.chance(1, 5)) return draw(dtype);
    return rng_.chance(2, 3) ? fitting.back() : fitting[rng_.below(fitting.size())];
  }
  Source source_or_value(DType dtype) {
    if (rng_.chance(1, 3)) return Source::value(1.5f);
    Source result = Source::tensor(source(dtype));
    if (rng_.chance(1, 6)) result.view.stride.w = 0;
    return result;
  }
  TensorView result(DType dtype) { return rng_.chance(1, 4) ? source(dtype) : draw(dtype); }

  void add(const Operation& op) {
    if (!testing::is_legal(op, chip(), testing::kTestGlobalBytes)) return;
    program_.add(op, engine(op), 0);
    if (std::holds_alternative<Copy>(op)) return;
    results_.push_back(*operands(op)[0].view);
  }

  static TensorView table(uint32_t length, DType dtype) {
    return tensor_at(tables(), {1, chip().lanes, 1, length}, dtype, true);
  }

  void add_arithmetic() {
    using Kind = FloatArithmetic::Kind;
    const DType type = rng_.pick({DType::f32, DType::f32, DType::f16, DType::bf16});
    const Source a = Source::tensor(source(type));
    Source b = type == DType::f32 ? source_or_value(type) : Source::tensor(source(type));
    add(FloatArithmetic{.kind = rng_.pick({Kind::add, Kind::sub, Kind::mul, Kind::max, Kind::min}),
                        .out = result(type),
                        .a = a,
                        .b = b});
  }
  void add_function() {
    using Kind = FloatFunction::Kind;
    if (rng_.coin())
      return add(FloatFunction{.kind = Kind::div,
                               .out = result(DType::f32),
                               .a = Source::value(1.0f),
                               .b = Source::tensor(source(DType::f32))});
    add(FloatFunction{.kind = Kind::taylor,
                      .out = result(DType::f32),
                      .a = Source::tensor(source(DType::f32)),
                      .coeff = table(5, DType::f32)});
  }
  void add_convert() {
    const DType in = rng_.pick({DType::f32, DType::f32, DType::i16, DType::f16, DType::u16}),
                out = rng_.pick({DType::i16, DType::u16, DType::f32, DType::u8, DType::f16});
    add(Convert{
        .rounding = rng_.pick({Rounding::half_away, Rounding::toward_zero, Rounding::half_even}),
        .out = result(out),
        .in = source(in)});
  }
  void add_integers() {
    const DType type = rng_.pick({DType::i16, DType::u16, DType::u8});
    add(IntArithmetic{.kind = rng_.coin() ? IntArithmetic::Kind::add : IntArithmetic::Kind::sub,
                      .out = result(type),
                      .a = Source::tensor(source(type)),
                      .b = Source::value(7u, type),
                      .shift = Source::value(0u, DType::i8),
                      .saturates = rng_.coin()});
  }
  void add_lookup() {
    const DType index = rng_.coin() ? DType::u16 : DType::u8,
                type = rng_.pick({DType::f32, DType::f32, DType::f16});
    const uint32_t length = rng_.pick({192u, 300u, 60u});
    TensorView in = source(index);
    // Few other indices are inside the table.
    if (rng_.coin()) {
      const TensorView any = in;
      in = result(index);
      add(IntArithmetic{.kind = IntArithmetic::Kind::min,
                        .out = in,
                        .a = Source::tensor(any),
                        .b = Source::value(length - static_cast<uint32_t>(rng_.below(2)), index),
                        .shift = Source::value(0u, DType::i8)});
    }
    add(TableLookup{.out = result(type),
                    .in = in,
                    .table = table(length, type),
                    .fault = std::make_shared<IndexFault>()});
  }
  void add_choice() {
    const Source x = Source::tensor(source(DType::f32));
    add(Select{.compare = rng_.coin() ? Select::Compare::greater : Select::Compare::equal_value,
               .out = result(DType::f32),
               .a = x,
               .b = Source::value(0.5f),
               .if_true = x,
               .if_false = source_or_value(DType::f32)});
  }
  void add_step() {
    const auto add_some = rng_.pick({&Chain::add_arithmetic, &Chain::add_arithmetic,
                                     &Chain::add_function, &Chain::add_convert,
                                     &Chain::add_integers, &Chain::add_lookup, &Chain::add_choice});
    (this->*add_some)();
  }

  Rng& rng_;
  ProgramBuilder& program_;
  Shape shape_;
  bool aligned_ = false;
  uint64_t size_ = 0;
  std::vector<TensorView> results_;
};

std::vector<Instruction> random_program(Rng& rng) {
  ProgramBuilder b(chip());
  for (uint32_t left = rng.range(1, 2); left > 0; --left)
    Chain(rng, b).add_steps(static_cast<uint32_t>(rng.range(2, 14)));
  return b.program();
}

class Chains : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::set_budgets({});
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(Chains, LeaveTheBytesOfRunsWithoutThem) {
  const bool prepares = GetParam() != "reference";
  const RandomCases cases(prepares ? 256 : 4);
  PlanStatistics done;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 3));
    fast::set_budgets(i % 4 == 0 ? fast::Budgets::smallest() : fast::Budgets{.task_work = 1});
    PlanPair pair(rng, {.bytes = testing::kTestGlobalBytes,
                        .constants = 0,
                        .constant_bytes = testing::kTestGlobalBytes,
                        .chip = &chip()});
    pair.add(random_program(rng));
    for (int run_index = 0; run_index < 3; ++run_index) {
      const std::string difference = pair.run(0);
      ASSERT_EQ(difference, "") << "in run " << run_index << " of\n" << pair.text();
      pair.change_something();
    }
    pair.add_statistics(done);
  }
  if (!prepares || cases.count < 256) return;
  EXPECT_GT(done.chained, 256u);
}

INSTANTIATE_TEST_SUITE_P(Every, Chains,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

TEST_F(PassTest, ChainRows) {
  const Shape shape{1, 64, 8, 32};
  const auto at = [&](uint64_t address, DType dtype) {
    return tensor_at(address, shape, dtype, true);
  };
  const TensorView x = at(0, DType::f32), y = at(0x1000, DType::f32),
                   index = at(0x1000, DType::u16), last = at(0x2000, DType::f32);
  ProgramBuilder b(bm1684x());
  const auto add = [&](const Operation& op) { b.add(op, engine(op), 0); };
  b.load(x, 0);
  add(FloatArithmetic{.out = y, .a = Source::tensor(x), .b = Source::value(1.0f)});
  add(FloatFunction{.out = last, .a = Source::value(1.0f), .b = Source::tensor(y)});
  add(Convert{.rounding = Rounding::toward_zero, .out = index, .in = last});
  add(Convert{.out = last, .in = index});
  b.load(x, 0x4000);
  add(FloatArithmetic{.out = y, .a = Source::tensor(x), .b = Source::tensor(last)});
  program_ = b.program();
  chip_ = &bm1684x();
  expect("chain_rows", "0 gdma_load\n1 add\n2 div\n3 cast\n4 cast\n5 gdma_load\n6 add\n",
         "0 gdma_load\n1 add: kernel\n2 div: fused into 1\n3 cast: fused into 1\n"
         "4 cast: fused into 1\n5 gdma_load\n6 add\n");
}

}  // namespace
}  // namespace tputwin::test::of_chains

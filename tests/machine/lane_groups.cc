// Programs of operations that work inside lanes, which run repeatedly on several threads and in
// small ranges of lanes. With and without plans, all memory is equal after every run.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/pass_test.h"
#include "machine/plan_pair.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "selftest/overlapping.h"
#include "selftest/random_operation.h"

namespace tputwin::test::of_lane_groups {
namespace {

using testing::OperationKind;
using testing::RandomCases;
using testing::Rng;

const Chip& chip() { return testing::chip_of(OperationKind::int_arithmetic); }

OperationKind random_kind(Rng& rng) {
  using enum OperationKind;
  return rng.pick({float_arithmetic_bm1684x, int_arithmetic, convert_bm1684x, select_bm1684x,
                   bitwise_bm1684x, copy_bm1684x, unary_bm1684x, float_function,
                   pool2d_bm1684x_float, pool2d_bm1684x_int8});
}

// Returns an operation that works inside lanes more often than not.
Operation random_step(Rng& rng) {
  Operation op = testing::random_operation(rng, random_kind(rng), chip());
  if (auto* copy = std::get_if<Copy>(&op)) copy->engine = Engine::compute;
  if (rng.chance(1, 3)) testing::overlap_operands(rng, op, chip(), testing::kTestGlobalBytes);
  return op;
}

std::vector<Instruction> random_program(Rng& rng) {
  ProgramBuilder b(chip());
  for (uint32_t left = rng.range(2, 8); left > 0; --left) {
    const Operation op = random_step(rng);
    if (testing::is_legal(op, chip(), testing::kTestGlobalBytes)) b.add(op, engine(op), 0);
  }
  return b.program();
}

class LaneGroups : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::set_budgets({});
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(LaneGroups, LeaveTheBytesOfRunsWithoutThem) {
  const RandomCases cases(GetParam() == "reference" ? 4 : 64);
  size_t groups = 0;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(2 + static_cast<int>(i % 3));
    fast::set_budgets({.task_work = 1});
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
    PlanStatistics done;
    pair.add_statistics(done);
    groups += done.prepared;
  }
  if (cases.count < 64) return;
  EXPECT_GT(groups, 10u);
}

INSTANTIATE_TEST_SUITE_P(Every, LaneGroups,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

TEST_F(PassTest, GroupLanes) {
  ProgramBuilder b(bm1684x());
  const auto tensor = [](uint64_t address) {
    TensorView view = local_tensor(bm1684x(), address, {1, 70, 8, 8}, true, DType::f32);
    view.stride = lane_stride(bm1684x(), view.shape, 0, 4, true);
    return view;
  };
  const TensorView x = tensor(0), y = tensor(0x1000);
  const auto add = [&](const Operation& op) { b.add(op, engine(op), 0); };
  add(FloatArithmetic{.out = y, .a = Source::tensor(x), .b = Source::value(1.0f)});
  add(FloatFunction{.out = y, .a = Source::value(1.0f), .b = Source::tensor(y)});
  b.load(x, 0);
  add(FloatArithmetic{.out = y, .a = Source::tensor(x), .b = Source::tensor(y)});
  program_ = b.program();
  chip_ = &bm1684x();
  expect("group_lanes", "0 add\n1 div\n2 gdma_load\n3 add\n",
         "0 add: kernel\n1 div: fused into 0\n2 gdma_load\n3 add\n");
}

}  // namespace
}  // namespace tputwin::test::of_lane_groups

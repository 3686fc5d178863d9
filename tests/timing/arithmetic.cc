// The arithmetic of operations, which predicted times depend on: by their rows, and by their names
// in recordings.
#include <gtest/gtest.h>

#include "insight/timing/recorded_names.h"
#include "selftest/random_operation.h"

namespace tputwin::insight {
namespace {

TEST(ArithmeticOfOperations, NamesInRecordingsMeanTheSame) {
  testing::Rng rng(1);
  for (const testing::OperationKind kind : testing::all_operation_kinds())
    for (int i = 0; i < 30; ++i) {
      const Operation op = testing::random_operation(rng, kind);
      EXPECT_EQ(arithmetic(op), arithmetic_named(name(op)))
          << to_string(kind) << ": " << describe(op);
    }
}

TEST(ArithmeticOfOperations, MaskedLanesHaveThatOfTheirOperation) {
  testing::Rng rng(2);
  const Operation conv =
      testing::random_operation(rng, testing::OperationKind::conv2d_bm1684x_float);
  EXPECT_EQ(arithmetic(MaskedLanes(conv, 1)), Arithmetic::convolution);
  EXPECT_EQ(arithmetic(conv), Arithmetic::convolution);
}

TEST(ArithmeticOfOperations, CallsInRecordingsHaveOne) {
  EXPECT_EQ(arithmetic_named("okk_bdc_conv2d"), Arithmetic::convolution);
  EXPECT_EQ(arithmetic_named("okk_bdc_depthwise2d"), Arithmetic::window);
  EXPECT_EQ(arithmetic_named("okk_bdc_max_pool2d"), Arithmetic::window);
  EXPECT_EQ(arithmetic_named("okk_bdc_avg_pool2d"), Arithmetic::window);
  EXPECT_EQ(arithmetic_named("okk_bdc_matmul"), Arithmetic::product);
  EXPECT_EQ(arithmetic_named("okk_bdc_add"), Arithmetic::elements);
}

TEST(ArithmeticOfOperations, OperatorsOfTheHostHaveNone) {
  EXPECT_EQ(arithmetic(CpuCall{}), Arithmetic::elements);
}

}  // namespace
}  // namespace tputwin::insight

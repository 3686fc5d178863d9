// Results that overlap sources in an order that is not known: which bytes depend on the order.
#include "insight/overlaps.h"

#include <gtest/gtest.h>

#include "ops/read_order.h"
#include "selftest/test_memory.h"

namespace tputwin::insight::testing {
namespace {

using tputwin::testing::TestMemory;

std::optional<std::vector<ByteRange>> dependent(const Operation& op, const Chip& chip) {
  EXPECT_FALSE(tputwin::check_overlap(op, chip).ok());  // the order is not known
  TestMemory memory(chip);
  MarkScratch scratch(chip, memory.memory());
  return order_dependent(op, chip, memory.memory(), scratch);
}

// Rows of 64 bytes in three lanes; the results begin at byte `at`.
Pool2dBm1880 row_sums(uint32_t width, uint64_t at) {
  Pool2dBm1880 op;
  op.kind = Pool2dBm1880::Kind::average;
  op.in = {.dtype = DType::i8, .shape = {1, 3, 1, 64}, .stride = {64, 64, 64, 1}};
  op.window = {{.kernel = 1}, {.kernel = width}};
  op.out = {.dtype = DType::i8,
            .address = at,
            .shape = {1, 3, 1, 65 - width},
            .stride = {128, 128, 128, 1}};
  return op;
}

TEST(Overlaps, SumOnItsFirstElementDependsOnNoOrder) {
  const auto bytes = dependent(row_sums(64, 0), bm1880());
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->empty());
}

TEST(Overlaps, SumOnItsLastElementDependsOnNoOrder) {
  const auto bytes = dependent(row_sums(64, 63), bm1880());
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(bytes->empty());
}

// Result 0 overwrites byte 1, which result 1 needs, and so on.
TEST(Overlaps, SumsThatShareSourcesDependOnTheOrder) {
  const auto bytes = dependent(row_sums(2, 1), bm1880());
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), 3u);  // in three lanes
  EXPECT_EQ((*bytes)[0], (ByteRange{Space::local, 0, 2, 64}));
}

TEST(Overlaps, ShiftedResultsDependOnTheOrder) {
  FloatFunction op;
  op.kind = FloatFunction::Kind::hswish;
  op.a =
      Source::tensor({.dtype = DType::f32, .shape = {1, 2, 1, 32}, .stride = {128, 128, 128, 4}});
  op.a.view.plane_stride = 0;
  op.out = op.a.view;
  op.out.address = 64;
  const auto bytes = dependent(op, bm1684x());
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), 2u);
  EXPECT_EQ((*bytes)[0], (ByteRange{Space::local, 0, 128, 192}));
}

}  // namespace
}  // namespace tputwin::insight::testing

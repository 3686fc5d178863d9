// Transfers.
#include "ops/lanes.h"

namespace tputwin::testing {
namespace {

struct DmaTest : ::testing::Test, Lanes {
  static Values counting(int count) {
    Values values;
    for (int i = 0; i < count; ++i) values.push_back(i % 100);
    return values;
  }
};

TEST_F(DmaTest, LoadsChannelsRoundTheLanes) {
  const Shape s{1, 34, 1, 2};
  DmaTensor op{.dst = local_tensor(chip, 31 * 65536 + 5, s, /*aligned=*/false, DType::i8),
               .src = global_tensor(3, s),
               .explicit_strides = true};
  put(op.src, counting(68));
  run(op);
  EXPECT_EQ(get(op.dst), counting(68));
  EXPECT_EQ(memory().local.lane(31)[5], 0);      // channel 0
  EXPECT_EQ(memory().local.lane(0)[5 + 2], 2);   // channel 1, one round later
  EXPECT_EQ(memory().local.lane(0)[5 + 4], 66);  // channel 33, two rounds later
}

TEST_F(DmaTest, TransposesBatchAndChannel) {
  DmaTensor op{
      .dst = aligned(0, {3, 2, 1, 2}), .src = global_tensor(0, {2, 3, 1, 2}), .transpose_nc = true};
  put(op.src, counting(12));
  run(op);
  EXPECT_EQ(get(op.dst), (Values{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}));
}

TEST_F(DmaTest, ReshapesInIndexOrder) {
  DmaTensor op{.dst = aligned(0, {1, 6, 1, 2}), .src = aligned(256, {1, 2, 3, 2})};
  put(op.src, counting(12));
  run(op);
  EXPECT_EQ(get(op.dst), counting(12));
}

TEST_F(DmaTest, MovesMatricesWithoutTheirPadding) {
  DmaMatrix op{.dst = local_matrix(chip, 0, 2, 35, DType::i8), .src = global_matrix(0, 2, 35, 40)};
  put(op.src, counting(70));
  memory().local.lane(1)[3] = 99;  // first padding column
  run(op);
  EXPECT_EQ(get(op.dst), counting(70));
  EXPECT_EQ(memory().local.lane(1)[3], 99);

  DmaMatrix store{.dst = global_matrix(1000, 35, 2, 2), .src = op.dst, .transpose = true};
  run(store);
  EXPECT_EQ(get(store.dst)[0], 0);
  EXPECT_EQ(get(store.dst)[1], 35);
  EXPECT_EQ(get(store.dst)[69], 69);
}

TEST_F(DmaTest, ShiftsChannelsAndFillsWithZeros) {
  DmaLrnShift op{.dst = aligned(0, {1, 5, 1, 1}), .src = aligned(256, {1, 5, 1, 1}), .step = 2};
  put(op.src, {1, 2, 3, 4, 5});
  run(op);
  EXPECT_EQ(get(op.dst), (Values{3, 4, 5, 0, 0}));
  op.right = true;
  run(op);
  EXPECT_EQ(get(op.dst), (Values{0, 0, 1, 2, 3}));
}

}  // namespace
}  // namespace tputwin::testing

// Matrix products.
#include "ops/lanes.h"

namespace tputwin::testing {
namespace {

struct MatrixTest : ::testing::Test, Lanes {
  // Returns (1,2) x (2,3).
  MatrixMac small(DType res) {
    MatrixMac op{.res = local_matrix(chip, 0, 1, 3, res),
                 .left = local_matrix(chip, 256, 1, 2, DType::i8),
                 .right = local_matrix(chip, 512, 2, 3, DType::i8)};
    op.res.tensor.plane_stride = op.res.tensor.stride.n;
    put(op.left, {3, -4});
    put(op.right, {1, 10, 100, 2, 20, -128});  // products -5, -50, 812
    return op;
  }
};

TEST_F(MatrixTest, MultipliesAndSaturates) {
  MatrixMac op = small(DType::i8);
  run(op);
  EXPECT_EQ(get(op.res), (Values{-5, -50, 127}));
  op.rshift = 1;
  run(op);
  EXPECT_EQ(get(op.res), (Values{-2, -25, 127}));
}

TEST_F(MatrixTest, ReluMakesTheResultUnsigned) {
  MatrixMac op = small(DType::u8);
  op.relu = true;
  run(op);
  EXPECT_EQ(get(op.res), (Values{0, 0, 255}));
}

TEST_F(MatrixTest, AddsTheBiasOfTheColumn) {
  MatrixMac op = small(DType::i16);
  op.bias = local_matrix(chip, 1024, 1, 3, DType::i16);
  put(*op.bias, {1000, -1, 32767});
  run(op);
  EXPECT_EQ(get(op.res), (Values{995, -51, 32767}));
}

TEST_F(MatrixTest, AccumulatesTheShiftedOldResult) {
  MatrixMac op = small(DType::i16);
  op.accumulate = true;
  op.lshift = 2;
  put(op.res, {100, -100, 9000});
  run(op);
  EXPECT_EQ(get(op.res), (Values{395, -450, 32767}));
  // 8-bit result: the high bytes do not change
  MatrixMac narrow = small(DType::i8);
  narrow.accumulate = true;
  MatrixView wide{as_16bit(narrow.res.tensor), 1, 3};
  put(wide, {0x100, 0x100, 0x100});
  narrow.rshift = 4;
  run(narrow);
  EXPECT_EQ(get(narrow.res), (Values{16, 13, 67}));
  EXPECT_EQ(get(wide), (Values{0x110, 0x10d, 0x143}));
}

TEST_F(MatrixTest, BlocksOfColumnsAreInConsecutiveLanes) {
  MatrixMac op{.res = local_matrix(chip, 0, 1, 40, DType::i8),
               .left = local_matrix(chip, 256, 1, 1, DType::i8),
               .right = local_matrix(chip, 512, 1, 40, DType::i8)};
  put(op.left, {1});
  Values row;
  for (int c = 0; c < 40; ++c) row.push_back(c);
  put(op.right, row);
  run(op);
  EXPECT_EQ(get(op.res), row);
  EXPECT_EQ(memory().local.lane(1)[7], 39);
}

TEST_F(MatrixTest, TheFixedProductFoldsBytes) {
  MatrixMac2 op{.res = aligned(0, {1, 256, 1, 256}, DType::u8),
                .left = aligned(8192, {1, 256, 1, 256}),
                .right = aligned(16384, {256, 16, 1, 16})};
  put(op.right, {2});
  put(op.left, {2});
  run(op);
  EXPECT_EQ(get(op.res), Values(65536, 4));  // 1024 = 0x400
  put(op.left, {-1});
  memory().write(op.right, 7, 0, 0, 0, 3);
  run(op);
  EXPECT_EQ(get(op.res)[0], 0xfe);  // -512 = ...fe00
  EXPECT_EQ(get(op.res)[7], 0xfc);  // -513 = ...fdff, fd + ff
}

}  // namespace
}  // namespace tputwin::testing

// Local memory: the common stack, the banks, and sizes.
#include "fixture.h"

namespace {

class Tensors : public BmKernel {
 protected:
  // Allocates `bytes` of every lane.
  tensor_lmem* take(int bytes, u32 ctrls = CTRL_NULL) {
    return bmk1880_tl_alloc(ctx_, shape_t4(1, 32, 1, bytes), FMT_I8, ctrls);
  }
  tensor_lmem* take_bank(u32 bank, int bytes) {
    return bmk1880_tl_alloc_bank(ctx_, bank, shape_t4(1, 32, 1, bytes), FMT_I8, CTRL_NULL);
  }
};

TEST_F(Tensors, StackIsPackedUnlessAligned) {
  EXPECT_EQ(tl_address(take(3)), 0u);
  EXPECT_EQ(tl_address(take(5)), 3u);
  tensor_lmem* aligned = take(1, CTRL_AL);
  EXPECT_EQ(tl_address(aligned), 16u);
  EXPECT_TRUE(aligned->aligned);
  EXPECT_EQ(aligned->reserved_size, 16);
  EXPECT_EQ(tl_address(take(1)), 32u);
}

TEST_F(Tensors, WhatDoesNotFitIsNullAndNoFaultOfTheContext) {
  EXPECT_NE(bmk1880_tl_alloc(ctx_, shape_t4(1, 32, 256, 256), FMT_I8, CTRL_AL), nullptr);
  EXPECT_EQ(take(1), nullptr);
  EXPECT_EQ(last_code(), "TW-BMK-0020");
  u32 size = 0;
  EXPECT_NE(bmk1880_acquire_cmdbuf(ctx_, &size), nullptr);
}

TEST_F(Tensors, HugeShapesDoNotWrapAround) {
  EXPECT_EQ(bmk1880_tl_alloc(ctx_, shape_t4(65535, 65535, 65535, 65535), FMT_I8, CTRL_NULL),
            nullptr);
  EXPECT_EQ(bmk1880_tl_alloc(ctx_, shape_t2(1, -1), FMT_I8, CTRL_NULL), nullptr);
  EXPECT_EQ(tl_address(take(1)), 0u);
}

TEST_F(Tensors, BanksLimitTheCommonStackWhileInUse) {
  tensor_lmem* bank = take_bank(3, 100);
  EXPECT_EQ(tl_address(bank), 3u * 8192);
  EXPECT_EQ(bank->bank_id, 3u);
  EXPECT_EQ(take(3 * 8192 + 1), nullptr);
  bmk1880_tl_free(ctx_, bank);
  EXPECT_NE(take(3 * 8192 + 1), nullptr);
  EXPECT_EQ(take_bank(2, 1), nullptr);
  EXPECT_EQ(last_code(), "TW-BMK-0022");
}

TEST_F(Tensors, FreeingOutOfOrderIsAWarningAndShrinksTheStack) {
  tensor_lmem *first = take(10), *second = take(10);
  bmk1880_tl_free(ctx_, first);
  EXPECT_EQ(tputwin_warning_count(), 1u);
  EXPECT_EQ(tputwin_error_count(), 0u);
  EXPECT_EQ(tl_address(take(4)), 0u);
  bmk1880_tl_free(ctx_, second);
  EXPECT_EQ(last_code(), "TW-BMK-0025");
}

TEST_F(Tensors, FreeingTwiceIsAnError) {
  tensor_lmem* t = at(0, shape_t1(4));
  bmk1880_tl_free(ctx_, t);
  EXPECT_EQ(tputwin_error_count(), 0u);
  bmk1880_tl_free(ctx_, t);
  EXPECT_EQ(last_code(), "TW-BMK-0023");
}

TEST_F(Tensors, PreallocReservesNothing) {
  tensor_lmem* t = at(0x123456, shape_t4(2, 3, 4, 5), FMT_U8);
  EXPECT_EQ(t->type, u32{TL_TYPE_TENSOR_PREALLOC});
  EXPECT_EQ(t->bank_id, 8u);
  EXPECT_EQ(t->stride, nullptr);
  EXPECT_EQ(tl_address(take(1)), 0u);
}

TEST_F(Tensors, SizesFollowTheLayoutRules) {
  EXPECT_EQ(bmk1880_tl_shape_to_size(ctx_, shape_t4(2, 33, 3, 5), false, FMT_I8), 2 * 2 * 15);
  EXPECT_EQ(bmk1880_tl_shape_to_size(ctx_, shape_t4(2, 33, 3, 5), true, FMT_I8), 2 * 2 * 16);
  EXPECT_EQ(bmk1880_tl_shape_to_size(ctx_, shape_t2(7, 40), false, FMT_I16), 2 * 7 * 32);
  EXPECT_EQ(bmk1880_tl_size(ctx_, at(0, shape_t3(40, 2, 2))), 2 * 16);
  EXPECT_EQ(bmk1880_tg_shape_to_size(shape_t4(2, 3, 4, 5), FMT_U8), 120u * 8);
}

}  // namespace

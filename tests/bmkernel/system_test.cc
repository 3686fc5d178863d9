// Contexts and execution modes as the caller sees them.
#include "fixture.h"
#include "sdk/bmkernel/context.h"

namespace {

using ::testing::HasSubstr;

class System : public BmKernel {};

TEST_F(System, ChipInfoIsThatOfTheChip) {
  bmk1880_chip_info_t info = bmk1880_chip_info();
  EXPECT_EQ(info.version, 1880u);
  EXPECT_EQ(info.npu_num * info.lmem_size, 2u << 20);
  EXPECT_EQ(info.lmem_banks * info.lmem_bank_size, info.lmem_size);
}

TEST_F(System, AnEmptyContextGivesAnEmptyBuffer) {
  u32 size = 1;
  EXPECT_EQ(bmk1880_acquire_cmdbuf(ctx_, &size), buffer_.data());
  EXPECT_EQ(size, 0u);
}

TEST_F(System, AcquireCanBeRepeatedAndCommandsMayFollow) {
  tensor_lmem* t = at(0, shape_t4(1, 4, 4, 4));
  relu(t);
  EXPECT_EQ(commands().size(), 120u);
  bmk1880_gdma_store(ctx_, t, 0, CTRL_NULL);
  std::vector<uint8_t> all = commands();
  EXPECT_EQ(all.size(), 192u);
  EXPECT_EQ(commands(), all);
}

TEST_F(System, ResetStartsOverAndKeepsAllocations) {
  tensor_lmem* first = bmk1880_tl_alloc(ctx_, shape_t4(1, 32, 4, 4), FMT_I8, CTRL_AL);
  relu(first);
  std::vector<uint8_t> once = commands();
  bmk1880_create_streams(ctx_, 2);
  bmk1880_reset(ctx_);
  EXPECT_TRUE(commands().empty());
  relu(first);
  EXPECT_EQ(commands(), once);
  tensor_lmem* second = bmk1880_tl_alloc(ctx_, shape_t4(1, 32, 4, 4), FMT_I8, CTRL_AL);
  EXPECT_EQ(tl_address(second), 16u);
  bmk1880_create_streams(ctx_, 2);  // bmk1880_reset() removed the streams
  EXPECT_EQ(tputwin_error_count(), 0u);
}

TEST_F(System, AFailedContextGivesNoCommandsUntilReset) {
  relu(at(0, shape_t4(1, 4, 4, 4)));
  EXPECT_EQ(relu(nullptr), nullptr);
  EXPECT_THAT(tputwin_last_error(), HasSubstr("bmk1880_tpu_relu: ofmap = NULL"));
  u32 size = 7;
  EXPECT_EQ(bmk1880_acquire_cmdbuf(ctx_, &size), nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(last_code(), "TW-BMK-0006");
  bmk1880_reset(ctx_);
  EXPECT_NE(bmk1880_acquire_cmdbuf(ctx_, &size), nullptr);
}

TEST_F(System, WarningsAreCountedAndTheCallGoesOn) {
  bmk1880_mul_const_param_t p{};
  p.res_low = p.a = at(0, shape_t4(1, 4, 4, 4));
  p.b_is_signed = true;
  p.rshift_width = -1;
  EXPECT_NE(bmk1880_tpu_mul_const(ctx_, &p), nullptr);
  EXPECT_NE(bmk1880_tpu_mul_const(ctx_, &p), nullptr);
  EXPECT_EQ(tputwin_error_count(), 0u);
  EXPECT_EQ(tputwin_warning_count(), 2u);
  uint64_t count = 0;
  EXPECT_THAT(tputwin_warning(0, &count), HasSubstr("rshift_width = -1"));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(tputwin_warning(1, nullptr), nullptr);
  // the low five bits are encoded
  EXPECT_EQ((commands()[8 + 4 + 2] >> 3) & 31, 31);
}

TEST_F(System, InStrictModeWarningsAreErrors) {
  ctx_->diagnostics().set_strict(true);
  bmk1880_mul_const_param_t p{};
  p.res_low = p.a = at(0, shape_t4(1, 4, 4, 4));
  p.b_is_signed = true;
  p.rshift_width = 32;
  EXPECT_EQ(bmk1880_tpu_mul_const(ctx_, &p), nullptr);
  EXPECT_EQ(tputwin_error_count(), 1u);
}

TEST_F(System, AGrowingContextHasNoEnd) {
  bmk1880_context_t* ctx = tputwin::bmkernel::create_context(tputwin::bm1880());
  tensor_lmem* t = bmk1880_tl_prealloc_align(ctx, 0, shape_t4(1, 4, 4, 4), FMT_I8);
  bmk1880_relu_param_t p{};
  p.ofmap = p.ifmap = t;
  for (int i = 0; i < 5000; ++i) ASSERT_NE(bmk1880_tpu_relu(ctx, &p), nullptr);
  u32 size = 0;
  EXPECT_NE(bmk1880_acquire_cmdbuf(ctx, &size), nullptr);
  EXPECT_EQ(size, 5000u * 120);
  bmk1880_cleanup(ctx);
}

TEST_F(System, ContextsAreIndependent) {
  bmk1880_context_t* other = tputwin::bmkernel::create_context(tputwin::bm1880());
  tensor_lmem* t = bmk1880_tl_alloc(other, shape_t4(1, 4, 4, 4), FMT_I8, CTRL_AL);
  bmk1880_op_t* foreign = bmk1880_gdma_store(other, t, 0, CTRL_NULL);
  EXPECT_TRUE(commands().empty());
  bmk1880_op_t* own = relu(at(0, shape_t4(1, 4, 4, 4)));
  bmk1880_add_dependency(ctx_, foreign, own);
  EXPECT_EQ(last_code(), "TW-BMK-0015");
  u32 size = 0;
  EXPECT_NE(bmk1880_acquire_cmdbuf(other, &size), nullptr);
  EXPECT_EQ(size, 72u);
  bmk1880_cleanup(other);
}

TEST(SystemWithoutContext, EveryCallNamesTheMissingContext) {
  tputwin_clear_errors();
  EXPECT_EQ(bmk1880_gdma_load(nullptr, nullptr, 0, CTRL_NULL), nullptr);
  EXPECT_THAT(tputwin_last_error(), HasSubstr("bmk1880_gdma_load"));
  EXPECT_EQ(last_code(), "TW-BMK-0001");
  EXPECT_EQ(bmk1880_tl_alloc(nullptr, shape_t1(1), FMT_I8, CTRL_NULL), nullptr);
  bmk1880_cleanup(nullptr);
  bmk1880_reset(nullptr);
  EXPECT_EQ(tputwin_error_count(), 3u);
}

}  // namespace

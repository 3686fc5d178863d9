// Arithmetic of elements on the BM1684X: border values, and every 16-bit pattern through the fast
// kernels.
#include <gtest/gtest.h>

#include "memory/layout.h"
#include "ops/contract/kernel_steps.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

class TpuElementwise : public ::testing::Test {
 protected:
  const Chip& chip = chip_of(OperationKind::float_arithmetic_bm1684x);
  TestMemory storage{chip};

  TensorView view(uint64_t address, DType dtype, const Shape& shape = {1, 1, 1, 1}) const {
    return {.dtype = dtype,
            .plane_stride = is_16bit(dtype) ? 1u : 0u,
            .address = address,
            .shape = shape,
            .stride = lane_stride(chip, shape, 0, element_bytes(dtype), /*aligned=*/true)};
  }
  // Returns the only element of a result at address 0.
  uint32_t run(const Operation& op, DType dtype, KernelChoice kernel_choice) {
    EXPECT_TRUE(check(op, chip).ok());
    execute(op, storage.memory(), kernel_choice);
    return static_cast<uint32_t>(storage.memory().read(view(0, dtype), 0, 0, 0, 0));
  }
  uint32_t floats(FloatArithmetic::Kind kind, uint32_t a, uint32_t b, DType dtype,
                  KernelChoice kernel_choice) {
    storage.memory().write(view(64, dtype), 0, 0, 0, 0, static_cast<int32_t>(a));
    return run(FloatArithmetic{.kind = kind,
                               .out = view(0, dtype),
                               .a = Source::tensor(view(64, dtype)),
                               .b = Source::value(b, dtype)},
               dtype, kernel_choice);
  }
  uint32_t integers(IntArithmetic op, int32_t a, DType type, uint32_t b,
                    KernelChoice kernel_choice) {
    storage.memory().write(view(64, type), 0, 0, 0, 0, a);
    const DType out = op.out.dtype;
    op.out = view(0, out);
    op.a = Source::tensor(view(64, type));
    op.b = Source::value(b, type);
    return run(op, out, kernel_choice);
  }
};

constexpr KernelChoice kKernelChoices[] = {KernelChoice::reference, KernelChoice::automatic};

TEST_F(TpuElementwise, SpecialValues) {
  using Kind = FloatArithmetic::Kind;
  constexpr uint32_t kOne = 0x3f80'0000, kNan = 0xff81'0001, kSubnormal = 0x007f'ffff, kZero = 0,
                     kMinusZero = f32::kSignBit;
  for (const KernelChoice kernel_choice : kKernelChoices) {
    // for a NaN in a, the minimum keeps it unchanged; the maximum returns b
    EXPECT_EQ(floats(Kind::lesser, kNan, kOne, DType::f32, kernel_choice), kNan);
    EXPECT_EQ(floats(Kind::max, kNan, kOne, DType::f32, kernel_choice), kOne);
    EXPECT_EQ(floats(Kind::lesser, kOne, kNan, DType::f32, kernel_choice), kOne);
    EXPECT_EQ(floats(Kind::lesser, kSubnormal, kOne, DType::f32, kernel_choice), 0u);
    // for equal values the minimum and the maximum return b; 16-bit NaNs do not change
    EXPECT_EQ(floats(Kind::lesser, kZero, kMinusZero, DType::f32, kernel_choice), kMinusZero);
    EXPECT_EQ(floats(Kind::max, kMinusZero, kZero, DType::f32, kernel_choice), kZero);
    EXPECT_EQ(floats(Kind::lesser, 0x7c02, 0x3c00, DType::f16, kernel_choice), 0x7c02u);
    EXPECT_EQ(floats(Kind::max, 0x3c00, 0xff83, DType::bf16, kernel_choice), 0xff83u);
    EXPECT_EQ(floats(Kind::max, 0x8000, 0x807f, DType::bf16, kernel_choice), 0x8000u);
    // a > b ? a - b : b - a: a NaN keeps its sign, and 0 may be negative; of two NaNs the result is
    // b's
    EXPECT_EQ(floats(Kind::diff_abs, kNan, kOne, DType::f32, kernel_choice), kNan | f32::kQuietBit);
    EXPECT_EQ(floats(Kind::diff_abs, kZero, kMinusZero, DType::f32, kernel_choice), kMinusZero);
    EXPECT_EQ(floats(Kind::diff_abs, kNan, 0x7f82'0000, DType::f32, kernel_choice), 0x7fc2'0000u);
    EXPECT_EQ(floats(Kind::add, 0x7c00, 0xfc00, DType::f16, kernel_choice), uint32_t{kHalfNan});
    EXPECT_EQ(floats(Kind::add, 0x0001, 0x0001, DType::f16, kernel_choice), 0x0002u);
    EXPECT_EQ(floats(Kind::add, 0x0001, 0x0001, DType::bf16, kernel_choice), 0u);
    EXPECT_EQ(floats(Kind::add_square, 0x7bff, 0x7bff, DType::f16, kernel_choice), 0x7c00u);
  }
}

TEST_F(TpuElementwise, NumbersBeyond64Bits) {
  using Kind = IntArithmetic::Kind;
  IntArithmetic op{.kind = Kind::mul};
  op.out.dtype = DType::u32;
  for (const KernelChoice kernel_choice : kKernelChoices) {
    op.shift = Source::value(20, DType::i8);
    op.saturates = true;
    EXPECT_EQ(integers(op, -1, DType::u32, UINT32_MAX, kernel_choice), UINT32_MAX);
    op.saturates = false;
    EXPECT_EQ(integers(op, -1, DType::u32, UINT32_MAX, kernel_choice), 0x0010'0000u);
    op.shift = Source::value(static_cast<uint32_t>(-32), DType::i8);
    op.rounding = Rounding::down;
    EXPECT_EQ(integers(op, -1, DType::u32, UINT32_MAX, kernel_choice), 0xffff'fffeu);
  }
}

TEST_F(TpuElementwise, EveryRoundingOfAShift) {
  IntArithmetic op{.kind = IntArithmetic::Kind::mul};
  for (const DType out : {DType::i8, DType::i32})
    for (uint32_t mode = 0; mode < 7; ++mode)
      for (int32_t shift = 1; shift <= 3; ++shift)
        for (int32_t a = -20; a <= 20; ++a)
          for (const KernelChoice kernel_choice : kKernelChoices) {
            op.out.dtype = out;
            op.rounding = static_cast<Rounding>(mode);
            op.shift = Source::value(static_cast<uint32_t>(-shift), DType::i8);
            const auto expected =
                shift_right(a, static_cast<uint32_t>(shift), static_cast<Rounding>(mode));
            EXPECT_EQ(integers(op, a, out, 1, kernel_choice), static_cast<uint32_t>(expected))
                << a << " >> " << shift << " mode " << mode;
          }
}

// Tests every pattern as a, in rows that end inside a vector.
TEST_F(TpuElementwise, EveryHalf) {
  const Shape shape{1, 64, 3, 343};
  TestMemory expected(chip);
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const auto kind : {FloatArithmetic::Kind::mul, FloatArithmetic::Kind::lesser,
                            FloatArithmetic::Kind::max, FloatArithmetic::Kind::sub_square})
      for (const uint32_t b : {0x0000u, 0x3c00u, 0x3f80u, 0x1400u, 0x2d55u, 0xc7ffu, 0x7e00u}) {
        const TensorView out = view(0, dtype, shape), a = view(0x4000, dtype, shape);
        uint32_t pattern = 0;
        for_each_index(shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
          storage.memory().write(a, n, c, h, w, static_cast<int32_t>(pattern++ & 0xffff));
        });
        const FloatArithmetic op{
            .kind = kind, .out = out, .a = Source::tensor(a), .b = Source::value(b, dtype)};
        expected.copy_from(storage);
        execute(Operation(op), expected.memory(), KernelChoice::reference);
        execute(Operation(op), storage.memory());
        const auto x = storage.local_bytes(), y = expected.local_bytes();
        ASSERT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end()))
            << to_string(dtype) << " " << to_string(kind) << " " << b;
      }
}

}  // namespace
}  // namespace tputwin::testing

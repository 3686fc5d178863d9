// fp32 element-wise operations of the BM1684: operands that share bytes, and levels of rules.
#include <gtest/gtest.h>

#include "memory/layout.h"
#include "numerics/float_mode.h"
#include "ops/operation.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

constexpr Shape kShape{2, 3, 2, 5};

class Fp32Test : public ::testing::TestWithParam<KernelChoice> {
 protected:
  const Chip& chip = chip_of(OperationKind::unary_f32);
  TestMemory storage{chip};

  TensorView view(uint64_t address, DType dtype = DType::f32) const {
    return {.dtype = dtype,
            .address = address,
            .shape = kShape,
            .stride = lane_stride(chip, kShape, 0, element_bytes(dtype), /*aligned=*/true)};
  }
  void put(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w, int32_t value) {
    storage.memory().write(v, n, c, h, w, value);
  }
  int32_t get(const TensorView& v, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    return storage.memory().read(v, n, c, h, w);
  }
  // Returns the error or warning of check(); runs the operation if there is no error.
  std::string run(const Operation& operation) {
    const Status status = check(operation, chip);
    if (!status.ok() && status.error().info().level == Level::error)
      return std::string(status.error().info().symbol);
    execute(operation, storage.memory(), GetParam());
    return status.ok() ? "" : std::string(status.error().info().symbol);
  }
};

TEST_P(Fp32Test, WorkOfASeriesIsWrittenBeforeTheResult) {
  const UnaryF32 op{.kind = UnaryF32::Kind::exp,
                    .out = view(0x400),
                    .in = view(0),
                    .work = view(0x400),
                    .terms = 32};
  put(op.in, 1, 2, 1, 4, static_cast<int32_t>(f32::bits(1.5f)));
  EXPECT_EQ(run(op), "okk_series_work_dst");
  const ScopedFloatMode mode;
  EXPECT_EQ(f32::from_bits(static_cast<uint32_t>(get(op.out, 1, 2, 1, 4))),
            f32::exp(1.5f, 32).result);
}

TEST_P(Fp32Test, ExpInPlaceLosesTheFraction) {
  UnaryF32 op{
      .kind = UnaryF32::Kind::exp, .out = view(0), .in = view(0), .work = view(0x400), .terms = 32};
  put(op.in, 1, 2, 1, 4, static_cast<int32_t>(f32::bits(3.75f)));
  EXPECT_EQ(run(op), "okk_series_dst_src");
  EXPECT_EQ(f32::from_bits(static_cast<uint32_t>(get(op.out, 1, 2, 1, 4))), f32::lookup_exp(3));
  op.kind = UnaryF32::Kind::sigmoid;
  EXPECT_EQ(run(op), "");
}

// The result covers the source: the conversion reads a copy.
TEST_P(Fp32Test, BytesAreConvertedFromTheirCopy) {
  const Shape words{kShape.n, kShape.c, 1, 3};
  Int8ToF32 op{.out = view(0), .in = view(0, DType::i8), .words = view(0, DType::b32)};
  op.words.shape = words;
  op.words.stride = {op.in.stride.n, op.in.stride.c, 0, 4};
  op.work = op.words;
  op.work.address = 0x800;
  put(op.in, 0, 0, 0, 0, -128);
  put(op.in, 0, 0, 1, 4, 127);
  EXPECT_EQ(run(op), "");
  EXPECT_EQ(get(op.out, 0, 0, 0, 0), static_cast<int32_t>(f32::bits(-128.0f)));
  EXPECT_EQ(get(op.out, 0, 0, 1, 4), static_cast<int32_t>(f32::bits(127.0f)));
  EXPECT_EQ(get(op.work, 0, 0, 0, 0) & 0xff, 0) << "signs are inverted";
}

TEST_P(Fp32Test, StartNpusAreAWarningAndAlignmentAnError) {
  UnaryF32 op{.kind = UnaryF32::Kind::relu, .out = view(0), .in = view(chip.lane_bytes + 0x400)};
  put(op.in, 0, 1, 0, 0, static_cast<int32_t>(f32::bits(2.0f)));
  EXPECT_EQ(run(op), "okk_start_npu");
  EXPECT_EQ(get(op.out, 0, 1, 0, 0), static_cast<int32_t>(f32::bits(2.0f)));
  op.in = view(4);
  EXPECT_EQ(run(op), "") << "divisible by 4 is enough";
  op.kind = UnaryF32::Kind::rsqrt;
  EXPECT_EQ(run(op), "okk_address_128");
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, Fp32Test,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return info.param == KernelChoice::reference ? "reference" : "automatic";
                         });

}  // namespace
}  // namespace tputwin::testing

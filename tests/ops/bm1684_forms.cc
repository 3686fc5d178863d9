// Operations of the BM1684 in the forms that compilers use: fewer results than the window gives,
// one weight for all, conversions by DMA, pairs of selections.
#include <gtest/gtest.h>

#include <limits>

#include "base/bits.h"
#include "memory/layout.h"
#include "ops/contract/kernel_steps.h"
#include "selftest/operation_kinds.h"
#include "selftest/random_operation.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr KernelChoice kKernelChoices[] = {KernelChoice::reference, KernelChoice::automatic};

class FormsTest : public ::testing::Test {
 protected:
  const Chip& chip = chip_of(OperationKind::conv2d_bm1684);
  Rng rng{3};
  TestMemory test_memory{chip};
  Memory memory = test_memory.memory();

  // Returns a dense view in lane 0 from a byte on, or after the previous view.
  TensorView view_at(uint64_t address, const Shape& s, DType type, bool aligned, uint8_t pack) {
    const Shape cells{ceil_div(s.n, uint32_t{pack}), s.c, s.h, s.w};
    return {.dtype = type,
            .pack = pack,
            .address = address,
            .shape = s,
            .stride = lane_stride(chip, cells, 0, pack * element_bytes(type), aligned)};
  }
  TensorView view(const Shape& s, DType type, bool aligned = true, uint8_t pack = 1) {
    const TensorView v = view_at(next_, s, type, aligned, pack);
    next_ = align_up(next_ + uint64_t{cells(v)} * v.stride.n, uint64_t{128});
    return v;
  }
  void fill(const TensorView& v) {
    for_each_index(v.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      const auto value = static_cast<int32_t>(rng.below(200)) - 100;
      if (v.dtype == DType::f32)
        memory.write_f32(v, n, c, h, w, static_cast<float>(value) * 1.37f);
      else
        memory.write(v, n, c, h, w, value);
    });
  }
  std::vector<int32_t> values(const TensorView& v) {
    std::vector<int32_t> all;
    for_each_index(v.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      all.push_back(memory.read(v, n, c, h, w));
    });
    return all;
  }
  std::vector<int32_t> results(const Operation& op, KernelChoice kernel_choice) {
    EXPECT_TRUE(check(op, chip).ok()) << check(op, chip).error().message();
    execute(op, memory, kernel_choice);
    return values(*operands(op)[0].view);
  }

  // Returns the first rows and columns of all results (n,c,h,w).
  static std::vector<int32_t> corner(const std::vector<int32_t>& all, const Shape& s,
                                     const Shape& part) {
    std::vector<int32_t> kept;
    for_each_index(part, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      kept.push_back(all[((uint64_t{n} * s.c + c) * s.h + h) * s.w + w]);
    });
    return kept;
  }
  // Returns the first results of each plane in index order.
  static std::vector<int32_t> first_of_planes(const std::vector<int32_t>& all, const Shape& s,
                                              const Shape& part) {
    std::vector<int32_t> kept;
    for (uint32_t plane = 0; plane < s.n * s.c; ++plane)
      for (uint32_t i = 0; i < part.h * part.w; ++i)
        kept.push_back(all[uint64_t{plane} * s.h * s.w + i]);
    return kept;
  }

  // `crop` selects the results that are kept.
  template <class Op, class Crop>
  void expect_cropped(Op op, const Crop& crop) {
    const std::vector<int32_t> all = results(op, KernelChoice::reference);
    const Shape whole = op.out.shape;
    for (const auto& [h, w] : {std::pair{whole.h, whole.w},
                               {whole.h - 2, whole.w},
                               {whole.h, whole.w - 2},
                               {whole.h - 1, whole.w - 3},
                               {1u, 1u}})
      for (const KernelChoice kernel_choice : kKernelChoices) {
        const Shape part{whole.n, whole.c, h, w};
        op.out = view_at(op.out.address, part, op.out.dtype, true, op.out.pack);
        EXPECT_EQ(results(op, kernel_choice), crop(all, whole, part))
            << name(op) << ' ' << h << 'x' << w;
      }
  }

  uint64_t next_ = 0;
  static constexpr Axis kAxis{.kernel = 3, .pad_before = 1, .pad_after = 2};
  static constexpr Shape kIn{5, 3, 8, 9}, kOut{5, 3, 9, 10};
};

TEST_F(FormsTest, ConvolutionsKeepTheFirstResultsInIndexOrder) {
  Conv2dBm1684 floats{.out = view(kOut, DType::f32),
                      .in = view(kIn, DType::f32),
                      .weight = view({3, 3, 3, 3}, DType::f32, false, 2),
                      .window = {kAxis, kAxis}};
  fill(floats.in);
  fill(floats.weight);
  expect_cropped(floats, first_of_planes);
  Conv2dBm1684Int8 bytes{.out = view(kOut, DType::i8, true, 4),
                         .in = view(kIn, DType::i8, true, 4),
                         .weight = view({3, 3, 3, 3}, DType::i8, false, 4),
                         .window = {kAxis, kAxis},
                         .rshift = 9};
  fill(bytes.in);
  fill(bytes.weight);
  expect_cropped(bytes, first_of_planes);
}

TEST_F(FormsTest, OtherWindowsKeepTheFirstRowsAndColumns) {
  Depthwise2dBm1684 depthwise{.out = view(kOut, DType::f32),
                              .in = view(kIn, DType::f32),
                              .weight = view({1, 3, 3, 3}, DType::f32, false),
                              .window = {kAxis, kAxis}};
  fill(depthwise.in);
  fill(depthwise.weight);
  expect_cropped(depthwise, corner);
  for (const auto kind : {Pool2dBm1684::Kind::maximum, Pool2dBm1684::Kind::average})
    expect_cropped(Pool2dBm1684{.kind = kind,
                                .out = view(kOut, DType::f32),
                                .in = depthwise.in,
                                .window = {kAxis, kAxis},
                                .factor = 0.3f},
                   corner);
  const TensorView in = view(kIn, DType::i8, true, 4);
  fill(in);
  Depthwise2dBm1684Int8 bytes{.out = view(kOut, DType::i8, true, 4),
                              .in = in,
                              .weight = Source::tensor(view({1, 3, 3, 3}, DType::i8, false)),
                              .window = {kAxis, kAxis},
                              .rshift = 8};
  fill(bytes.weight.view);
  expect_cropped(bytes, corner);
  expect_cropped(
      Pool2dBm1684Int8{.out = view(kOut, DType::i8, true, 4), .in = in, .window = {kAxis, kAxis}},
      corner);
  Winograd2dBm1684 winograd{.out = view(kOut, DType::i8, true, 4),
                            .in = in,
                            .weight = view({3, 3, 4, 4}, DType::i8, false, 4),
                            .window = {kAxis, kAxis},
                            .rshift = 11};
  fill(winograd.weight);
  expect_cropped(winograd, corner);
}

TEST_F(FormsTest, LargerResultsAreRefused) {
  Pool2dBm1684 op{.out = view({5, 3, 10, 10}, DType::f32),
                  .in = view(kIn, DType::f32),
                  .window = {kAxis, kAxis}};
  EXPECT_EQ(check(op, chip).error().info().symbol, "okk_extents");
  op.out = view({5, 3, 9, 11}, DType::f32);
  EXPECT_EQ(check(op, chip).error().info().symbol, "okk_extents");
}

TEST_F(FormsTest, AConstantWeightIsATensorFullOfIt) {
  for (const uint32_t channels : {1u, 3u, 6u, 40u}) {
    const Shape in{3, channels, 8, 9}, out{3, 67, 9, 10};
    Conv2dBm1684 op{.out = view(out, DType::f32),
                    .in = view(in, DType::f32),
                    .weight = view({channels, 67, 3, 3}, DType::f32, false, 2),
                    .window = {kAxis, kAxis}};
    fill(op.in);
    for_each_index(op.weight.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write_f32(op.weight, n, c, h, w, 0.3f);
    });
    const auto expected = results(op, KernelChoice::reference);
    op.weight.address = 0;
    op.weight.stride = {};
    op.constant_weight = f32::bits(0.3f);
    for (const KernelChoice kernel_choice : kKernelChoices)
      EXPECT_EQ(results(op, kernel_choice), expected) << channels;

    Conv2dBm1684Int8 bytes{.out = view(out, DType::i8, true, 4),
                           .in = view(in, DType::u8, true, 4),
                           .weight = view({channels, 67, 3, 3}, DType::i8, false, 4),
                           .window = {kAxis, kAxis},
                           .rshift = 6};
    fill(bytes.in);
    for_each_index(bytes.weight.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write(bytes.weight, n, c, h, w, -3);
    });
    const auto of_bytes = results(bytes, KernelChoice::reference);
    bytes.weight.address = 0;
    bytes.weight.stride = {};
    bytes.constant_weight = -3;
    for (const KernelChoice kernel_choice : kKernelChoices)
      EXPECT_EQ(results(bytes, kernel_choice), of_bytes) << channels;
  }
}

// Results recorded from the reference model (values, results as signed and as unsigned bytes).
TEST_F(FormsTest, ConversionsRoundTiesToEvenAndSaturate) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr struct {
    float value;
    int32_t as_signed, as_unsigned;
  } kCases[] = {{0.5f, 0, 0},       {1.5f, 2, 2},       {2.5f, 2, 2},       {-0.5f, 0, 0},
                {-1.5f, -2, 0},     {126.5f, 126, 126}, {127.5f, 127, 128}, {254.5f, 127, 254},
                {255.5f, 127, 255}, {-128.5f, -128, 0}, {3e9f, 127, 255},   {-3e9f, -128, 0},
                {kInf, 127, 255},   {-kInf, -128, 0},   {kNan, 127, 255},   {1e-40f, 0, 0}};
  const Shape s{1, 1, 1, std::size(kCases)};
  const TensorView in = view(s, DType::f32);
  for (uint32_t i = 0; i < s.w; ++i) memory.write_f32(in, 0, 0, 0, i, kCases[i].value);
  for (const KernelChoice kernel_choice : kKernelChoices) {
    const auto as_signed =
        results(Convert{.out = view(s, DType::i8), .in = in, .engine = Engine::dma}, kernel_choice);
    const auto as_unsigned =
        results(Convert{.out = view(s, DType::u8), .in = in, .engine = Engine::dma}, kernel_choice);
    for (uint32_t i = 0; i < s.w; ++i) {
      EXPECT_EQ(as_signed[i], kCases[i].as_signed) << kCases[i].value;
      EXPECT_EQ(as_unsigned[i], kCases[i].as_unsigned) << kCases[i].value;
    }
  }
}

TEST_F(FormsTest, ChoicesLeaveTheBitsOfTheLargerOperand) {
  constexpr uint32_t kSubnormal = 1, kNegativeSubnormal = 0x8000'0001, kQuiet = 0x7fc0'0001,
                     kSignaling = 0x7f80'0001, kOne = 0x3f80'0000, kMinusZero = 0x8000'0000;
  constexpr struct {
    uint32_t a, b;
    bool is_greater;
  } kCases[] = {{kOne, 0, true},        {0, kOne, false},
                {kSubnormal, 0, false}, {kOne, kSubnormal, true},
                {kQuiet, kOne, false},  {kOne, kSignaling, false},
                {kSignaling, 0, false}, {0, kMinusZero, false},
                {kMinusZero, 0, false}, {0, kNegativeSubnormal, false}};
  const Shape s{1, 1, 1, std::size(kCases)};
  const TensorView a = view(s, DType::f32), b = view(s, DType::f32);
  for (uint32_t i = 0; i < s.w; ++i) {
    memory.write(a, 0, 0, 0, i, static_cast<int32_t>(kCases[i].a));
    memory.write(b, 0, 0, 0, i, static_cast<int32_t>(kCases[i].b));
  }
  for (const KernelChoice kernel_choice : kKernelChoices) {
    Select op{.out = view(s, DType::f32),
              .a = Source::tensor(a),
              .b = Source::tensor(b),
              .if_true = Source::value(5u),
              .if_false = Source::value(6u),
              .extreme = view(s, DType::f32),
              .keeps_extreme_bits = true};
    const auto chosen = results(op, kernel_choice), larger = values(*op.extreme);
    for (uint32_t i = 0; i < s.w; ++i) {
      EXPECT_EQ(chosen[i], kCases[i].is_greater ? 5 : 6) << i;
      EXPECT_EQ(static_cast<uint32_t>(larger[i]), kCases[i].is_greater ? kCases[i].a : kCases[i].b)
          << i;
    }
  }
}

}  // namespace
}  // namespace tputwin::testing

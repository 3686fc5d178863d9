// Convolutions and pooling on values that are small enough to compute by hand.
#include "ops/lanes.h"

namespace tputwin::testing {
namespace {

struct ConvolutionTest : ::testing::Test, Lanes {};

TEST_F(ConvolutionTest, SumsChannelsAddsBiasAndRoundsHalfUp) {
  Conv2dBm1880 op{.out = aligned(0, {1, 2, 1, 1}),
                  .in = aligned(256, {1, 2, 1, 1}),
                  .weight = conv_weight(512, {2, 2, 1, 1}, DType::i8),
                  .bias = conv_bias(chip, 1024, 2, true),
                  .rshift = 1};
  put(op.in, {3, -2});
  put(op.weight, {5, 1, 7, 4});  // (ic,oc): weights of channel 0 are 5 and 7, of channel 1 1 and 4
  put(*op.bias, {2, 0});
  run(op);
  EXPECT_EQ(get(op.out), (Values{2, -2}));  // (15 - 14 + 2) / 2 = 1.5 up; (3 - 8) / 2 = -2.5 up
}

TEST_F(ConvolutionTest, WeightsHaveTheInputChannelInnermost) {
  TensorView w = conv_weight(512, {2, 1, 1, 3}, DType::i8);
  put(w, {1, 2, 3, 4, 5, 6});
  const uint8_t* bytes = memory().local.lane(0) + 512;
  EXPECT_EQ(Values(bytes, bytes + 6), (Values{1, 4, 2, 5, 3, 6}));
}

TEST_F(ConvolutionTest, SaturatesSignedWithoutAndUnsignedWithRelu) {
  Conv2dBm1880 op{.out = aligned(0, {1, 1, 1, 3}),
                  .in = aligned(256, {1, 1, 1, 3}),
                  .weight = conv_weight(512, {1, 1, 1, 1}, DType::i8)};
  put(op.in, {-128, 2, 127});
  put(op.weight, {100});
  run(op);
  EXPECT_EQ(get(op.out), (Values{-128, 127, 127}));
  op.relu = true;
  op.out.dtype = DType::u8;
  run(op);
  EXPECT_EQ(get(op.out), (Values{0, 200, 255}));
}

TEST_F(ConvolutionTest, WindowPadsInsertsZerosDilatesAndStrides) {
  // 1 0 0 2 0 with one zero of padding on the left: 0 1 0 0 2 0; taps 2 apart, steps of 1
  Window window{{}, {.kernel = 2, .dilation = 2, .pad_before = 1, .insert = 2, .insert_last = 1}};
  Conv2dBm1880 op{.out = aligned(0, {1, 1, 1, 4}),
                  .in = aligned(256, {1, 1, 1, 2}),
                  .weight = conv_weight(512, {1, 1, 1, 2}, DType::i8),
                  .window = window};
  put(op.in, {1, 2});
  put(op.weight, {10, 1});
  run(op);
  EXPECT_EQ(get(op.out), (Values{0, 10, 2, 0}));
  op.window.w.stride = 2;
  op.out = aligned(0, {1, 1, 1, 2});
  run(op);
  EXPECT_EQ(get(op.out), (Values{0, 2}));
}

TEST_F(ConvolutionTest, AccumulatorsWrapIn32Bits) {
  EXPECT_EQ(requantize(int64_t{1} << 31, 0, false, 31), -1);
  EXPECT_EQ(requantize((int64_t{1} << 31) - 1, 1, true, 0), 0);
}

TEST_F(ConvolutionTest, WinogradOfACentredKernelScales) {
  DmaWinogradKernel load{.dst = local_tensor(chip, 512, {1, 1, 1, 16}, false, DType::i8),
                         .src = global_tensor(0, {1, 1, 1, 9}),
                         .scale = 7};
  put(load.src, {0, 0, 0, 0, 4, 0, 0, 0, 0});
  run(load);
  EXPECT_EQ(get(load.dst), (Values{0, 0, 0, 0, 0, 1, -1, 0, 0, -1, 1, 0, 0, 0, 0, 0}));

  const Axis same{.kernel = 3, .pad_before = 1, .pad_after = 1};
  Winograd2d op{.out = aligned(0, {1, 1, 2, 2}),
                .in = aligned(256, {1, 1, 2, 2}),
                .weight = local_tensor(chip, 512, {1, 1, 4, 4}, false, DType::i8),
                .bias = conv_bias(chip, 1024, 1, true),
                .window = {same, same}};
  put(op.in, {1, 2, -3, 40});
  put(*op.bias, {5});
  run(op);
  EXPECT_EQ(get(op.out), (Values{9, 13, -7, 127}));
}

TEST_F(ConvolutionTest, WinogradKernelRoundsTwiceAndSaturates) {
  DmaWinogradKernel load{.dst = local_tensor(chip, 512, {1, 1, 1, 16}, false, DType::i8),
                         .src = global_tensor(0, {1, 1, 1, 9})};
  put(load.src, {-128});
  run(load);
  // corner: 4 * -128 >> 2 = -128, times 1/8; edge sum 2 * 3 * -128 -> -192; centre 9 * -128 -> -288
  EXPECT_EQ(get(load.dst)[0], -16);
  EXPECT_EQ(get(load.dst)[1], -24);
  EXPECT_EQ(get(load.dst)[5], -36);
  load.scale = 15;
  run(load);
  EXPECT_EQ(get(load.dst)[5], -128);
}

TEST_F(ConvolutionTest, DepthwiseReadsWeightAndBiasAsSigned) {
  Depthwise2dBm1880 op{.out = aligned(0, {1, 2, 1, 1}),
                       .in = aligned(256, {1, 2, 1, 2}, DType::u8),
                       .weight = aligned(512, {1, 2, 1, 2}, DType::u8),
                       .bias = conv_bias(chip, 1024, 2, /*is_signed=*/false),
                       .window = {{}, {.kernel = 2}}};
  put(op.in, {200, 10, 3, 4});
  put(op.weight, {0, 255, 1, 2});  // 255 is -1
  put(*op.bias, {65535, 100});     // 65535 is -1
  run(op);
  EXPECT_EQ(get(op.out), (Values{-11, 111}));
}

TEST_F(ConvolutionTest, MaximumPadsWithTheSmallestValue) {
  const Axis a{.kernel = 2, .stride = 2, .pad_before = 1, .pad_after = 1};
  Pool2dBm1880 op{
      .out = aligned(0, {1, 1, 2, 2}), .in = aligned(256, {1, 1, 2, 2}), .window = {a, a}};
  put(op.in, {-100, -128, 5, -1});
  run(op);
  EXPECT_EQ(get(op.out), (Values{-100, -128, 5, -1}));
}

TEST_F(ConvolutionTest, AverageMultipliesAndRoundsHalfUp) {
  const Axis two{.kernel = 2};
  Pool2dBm1880 op{.kind = Pool2dBm1880::Kind::average,
                  .out = aligned(0, {1, 2, 1, 1}),
                  .in = aligned(256, {1, 2, 2, 2}),
                  .window = {two, two},
                  .multiplier = 64,
                  .rshift = 8};
  put(op.in, {1, 2, 3, 4, -1, -2, -3, -4});
  run(op);
  EXPECT_EQ(get(op.out), (Values{3, -2}));  // 2.5 and -2.5
  op.multiplier = 255;
  op.rshift = 0;
  run(op);
  EXPECT_EQ(get(op.out), (Values{127, -128}));
}

}  // namespace
}  // namespace tputwin::testing

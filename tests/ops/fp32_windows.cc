// fp32 windows and matrix products of the BM1684: an independent definition of the order of
// additions, special values, and levels of rules.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/bits.h"
#include "memory/layout.h"
#include "numerics/float_mode.h"
#include "ops/contract/kernel_steps.h"
#include "selftest/kinds.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class WindowsTest : public ::testing::TestWithParam<KernelChoice> {
 protected:
  const Chip& chip = chip_of(OperationKind::conv2d_bm1684);

  // Returns dense views one after the other, 128-byte aligned.
  TensorView place(const Shape& shape, bool aligned, uint8_t pack = 1) {
    const Shape cell{ceil_div(shape.n, uint32_t{pack}), shape.c, shape.h, shape.w};
    TensorView view{.dtype = DType::f32,
                    .pack = pack,
                    .address = next_,
                    .shape = shape,
                    .stride = lane_stride(chip, cell, 0, pack * 4u, aligned)};
    next_ = align_up(next_ + cell.n * uint64_t{view.stride.n}, uint64_t{128});
    return view;
  }
  MatrixView matrix(uint32_t rows, uint32_t cols, uint32_t per_channel) {
    return {place({rows, ceil_div(cols, per_channel), 1, per_channel}, true), rows, cols};
  }

  void fill(const TensorView& view, float value) {
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write_f32(view, n, c, h, w, value);
    });
  }
  // Writes magnitudes so different that every order of additions gives another sum.
  void fill_wide(const TensorView& view) {
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write(view, n, c, h, w, static_cast<int32_t>(random_f32(rng_, ValueKind::wide)));
    });
  }
  float at(const TensorView& view, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    return memory.read_f32(view, n, c, h, w);
  }
  uint32_t bits_at(const TensorView& view, uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    return f32::bits(at(view, n, c, h, w));
  }

  // Returns the error or warning of check(); runs the operation if there is no error.
  std::string run(const Operation& operation) {
    const Status status = check(operation, chip);
    const bool refused = !status.ok() && status.error().info().level == Level::error;
    if (!refused) execute(operation, memory, GetParam());
    return status.ok() ? "" : std::string(status.error().info().symbol);
  }

 private:
  TestMemory storage_{chip};
  Rng rng_{1};
  uint64_t next_ = 0;

 protected:
  const Memory memory = storage_.memory();
};

constexpr Window kWindow3x2{{.kernel = 3, .stride = 2, .pad_before = 1, .pad_after = 2},
                            {.kernel = 2, .dilation = 2, .pad_before = 2, .pad_after = 1}};

Shape output(const Shape& in, uint32_t channels, const Window& window) {
  return {in.n, channels, window.h.output(in.h), window.w.output(in.w)};
}

// Returns the input value under a tap, 0 in the padding.
template <class At>
float under_tap(const Window& w, const Shape& in, uint32_t y, uint32_t x, uint32_t kh, uint32_t kw,
                At&& at) {
  const int64_t row = int64_t{y} * w.h.stride + int64_t{kh} * w.h.dilation - w.h.pad_before;
  const int64_t column = int64_t{x} * w.w.stride + int64_t{kw} * w.w.dilation - w.w.pad_before;
  const bool inside = row >= 0 && row < in.h && column >= 0 && column < in.w;
  return inside ? at(static_cast<uint32_t>(row), static_cast<uint32_t>(column)) : 0.0f;
}

TEST_P(WindowsTest, ConvolutionAddsFourChains) {
  for (const uint32_t channels : {1u, 2u, 3u, 5u, 6u, 8u, 33u}) {
    const Shape in{2, channels, 6, 7};
    Conv2dBm1684 op{.out = place(output(in, 5, kWindow3x2), true),
                    .in = place(in, true),
                    .weight = place({channels, 5, 3, 2}, false, 2),
                    .bias = place({1, 5, 1, 1}, false),
                    .window = kWindow3x2,
                    .accumulate = true};
    for (const TensorView* view : {&op.out, &op.in, &op.weight, &*op.bias}) fill_wide(*view);
    const TensorView old = place(op.out.shape, true);
    for_each_index(old.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      memory.write_f32(old, n, c, h, w, at(op.out, n, c, h, w));
    });
    ASSERT_EQ(run(op), "");
    const ScopedFloatMode mode;
    for_each_index(op.out.shape, [&](uint32_t n, uint32_t oc, uint32_t y, uint32_t x) {
      float sums[2][2] = {};
      uint32_t step = 0;
      for (uint32_t kh = 0; kh < 3; ++kh)
        for (uint32_t kw = 0; kw < 2; ++kw)
          for (uint32_t pair = 0; pair < (channels + 1) / 2; ++pair, ++step)
            for (uint32_t half = 0; half < 2; ++half) {
              const uint32_t ic = 2 * pair + half;
              if (ic == channels) continue;
              const float value = under_tap(
                  op.window, in, y, x, kh, kw,
                  [&](uint32_t row, uint32_t column) { return at(op.in, n, ic, row, column); });
              const float product = value * at(op.weight, ic, oc, kh, kw);
              sums[step % 2][half] = sums[step % 2][half] + product;
            }
      float sum = (sums[0][0] + sums[1][0]) + (sums[0][1] + sums[1][1]);
      sum = sum + at(*op.bias, 0, oc, 0, 0);
      sum = sum + at(old, n, oc, y, x);
      ASSERT_EQ(bits_at(op.out, n, oc, y, x), f32::bits(sum)) << channels << " channels";
    });
  }
}

TEST_P(WindowsTest, DepthwiseAndAverageAddTwoChains) {
  const Shape in{1, 3, 9, 40};
  Window window = kWindow3x2;
  window.w.dilation = 1;
  Depthwise2dBm1684 op{.out = place(output(in, 3, window), true),
                       .in = place(in, true),
                       .weight = place({1, 3, 3, 2}, false),
                       .window = window};
  Pool2dBm1684 average{.kind = Pool2dBm1684::Kind::average,
                       .out = place(op.out.shape, true),
                       .in = op.in,
                       .window = window,
                       .factor = share_of(window)};
  fill_wide(op.in);
  fill_wide(op.weight);
  ASSERT_EQ(run(op), "");
  ASSERT_EQ(run(average), "");
  const ScopedFloatMode mode;
  const float sixth = 1.0f / 6.0f;
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
    float sums[2] = {}, shares[2] = {};
    for (uint32_t tap = 0; tap < 6; ++tap) {
      const float value =
          under_tap(window, in, y, x, tap / 2, tap % 2,
                    [&](uint32_t row, uint32_t column) { return at(op.in, n, c, row, column); });
      const float product = value * at(op.weight, 0, c, tap / 2, tap % 2), share = value * sixth;
      sums[tap % 2] = sums[tap % 2] + product;
      shares[tap % 2] = shares[tap % 2] + share;
    }
    ASSERT_EQ(bits_at(op.out, n, c, y, x), f32::bits(sums[0] + sums[1]));
    ASSERT_EQ(bits_at(average.out, n, c, y, x), f32::bits(shares[0] + shares[1]));
  });
}

TEST_P(WindowsTest, MatrixProductAddsTwoChains) {
  for (const uint32_t per_channel : {1u, 5u, 16u, 40u}) {
    const uint32_t cols = align_up(67u, per_channel);
    MatmulBm1684 op{.out = matrix(11, cols, per_channel),
                    .left = matrix(11, 37, 4),
                    .right = matrix(37, cols, per_channel),
                    .bias = matrix(1, cols, per_channel)};
    for (const MatrixView* m : {&op.left, &op.right, &*op.bias}) fill_wide(m->tensor);
    ASSERT_EQ(run(op), "");
    const ScopedFloatMode mode;
    auto element = [&](const MatrixView& m, uint32_t r, uint32_t c) {
      return f32::from_bits(static_cast<uint32_t>(memory.read(m, r, c)));
    };
    for (uint32_t i = 0; i < 11; ++i)
      for (uint32_t j = 0; j < cols; ++j) {
        float sums[2] = {};
        for (uint32_t k = 0; k < 37; ++k) {
          const float product = element(op.left, i, k) * element(op.right, k, j);
          sums[k % 2] = sums[k % 2] + product;
        }
        const float sum = (sums[0] + sums[1]) + element(*op.bias, 0, j);
        ASSERT_EQ(f32::bits(element(op.out, i, j)), f32::bits(sum)) << per_channel;
      }
  }
}

// A tap in the padding is 0 times its weight; 0 * infinity is NaN.
TEST_P(WindowsTest, PaddingMultipliesTheWeight) {
  const Shape in{1, 2, 4, 4};
  const Axis axis{.kernel = 3, .pad_before = 1, .pad_after = 1};
  Conv2dBm1684 op{.out = place({1, 1, 4, 4}, true),
                  .in = place(in, true),
                  .weight = place({2, 1, 3, 3}, false, 2),
                  .window = {axis, axis}};
  fill(op.in, 1.0f);
  fill(op.weight, 1.0f);
  memory.write_f32(op.weight, 0, 0, 0, 0, kInf);
  ASSERT_EQ(run(op), "");
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 0), f32::kInvalid);
  EXPECT_EQ(bits_at(op.out, 0, 0, 3, 0), f32::kInvalid);
  EXPECT_EQ(at(op.out, 0, 0, 3, 3), kInf);
}

TEST_P(WindowsTest, FirstNanIsTheResult) {
  const Shape in{1, 1, 1, 64};
  Depthwise2dBm1684 op{.out = place(in, true),
                       .in = place(in, true),
                       .weight = place({1, 1, 1, 1}, false),
                       .bias = place({1, 1, 1, 1}, false)};
  fill(op.in, 2.0f);
  fill(op.weight, 3.0f);
  memory.write(*op.bias, 0, 0, 0, 0, 0x7fc00001);
  memory.write(op.in, 0, 0, 0, 5, static_cast<int32_t>(0xff812345));
  ASSERT_EQ(run(op), "");
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 4), 0x7fc00001u);
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 5), 0xffc12345u) << "made quiet, its sign kept";
}

// If both accumulators are NaN, a convolution keeps the second one's.
TEST_P(WindowsTest, AccumulatorsOfAConvolutionAreAddedSecondFirst) {
  const Window window{{}, {.kernel = 2}};
  Conv2dBm1684 conv{.out = place({1, 1, 1, 20}, true),
                    .in = place({1, 1, 1, 21}, true),
                    .weight = place({1, 1, 1, 2}, false, 2),
                    .window = window};
  Depthwise2dBm1684 depthwise{.out = place(conv.out.shape, true),
                              .in = conv.in,
                              .weight = place({1, 1, 1, 2}, false),
                              .window = window};
  fill(conv.in, 1.0f);
  for (const TensorView* weight : {&conv.weight, &depthwise.weight}) {
    memory.write(*weight, 0, 0, 0, 0, 0x7fc00001);
    memory.write(*weight, 0, 0, 0, 1, 0x7fc00002);
  }
  ASSERT_EQ(run(conv), "");
  ASSERT_EQ(run(depthwise), "");
  EXPECT_EQ(bits_at(conv.out, 0, 0, 0, 3), 0x7fc00002u);
  EXPECT_EQ(bits_at(depthwise.out, 0, 0, 0, 3), 0x7fc00001u);
}

TEST_P(WindowsTest, MaximumKnowsNeitherNanNorMinusInfinity) {
  const Shape in{1, 1, 1, 4};
  Pool2dBm1684 op{.out = place({1, 1, 1, 5}, true),
                  .in = place(in, true),
                  .window = {{}, {.kernel = 2, .pad_before = 1, .pad_after = 1}}};
  memory.write_f32(op.in, 0, 0, 0, 0, -kInf);
  memory.write(op.in, 0, 0, 0, 1, 0x7fc00000);
  memory.write(op.in, 0, 0, 0, 2, static_cast<int32_t>(0x80000001));  // subnormal
  memory.write_f32(op.in, 0, 0, 0, 3, -1.0f);
  ASSERT_EQ(run(op), "");
  const uint32_t lowest = f32::bits(f32::kLowest);
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 0), lowest);
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 1), lowest);
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 2), 0x80000000u) << "flushed, its sign kept";
  EXPECT_EQ(bits_at(op.out, 0, 0, 0, 3), 0x80000000u);
  EXPECT_EQ(at(op.out, 0, 0, 0, 4), -1.0f);
}

TEST_P(WindowsTest, PoolingReachesIntoPaddingAlone) {
  const Axis axis{.kernel = 1, .pad_before = 3, .pad_after = 3};
  Pool2dBm1684 op{
      .out = place({1, 2, 7, 7}, true), .in = place({1, 2, 1, 1}, true), .window = {axis, axis}};
  fill(op.in, 7.0f);
  ASSERT_EQ(run(op), "");
  EXPECT_EQ(bits_at(op.out, 0, 1, 0, 0), f32::bits(f32::kLowest));
  EXPECT_EQ(at(op.out, 0, 1, 3, 3), 7.0f);
  op.kind = Pool2dBm1684::Kind::average;
  op.factor = share_of(op.window);
  ASSERT_EQ(run(op), "");
  EXPECT_EQ(bits_at(op.out, 0, 1, 0, 0), 0u);
}

// The unused half of the last pair of an odd number of input channels has no effect, whatever its
// bits.
TEST_P(WindowsTest, DummyChannelIsNotRead) {
  const Shape in{1, 3, 2, 20};
  Conv2dBm1684 op{.out = place({1, 9, 2, 20}, true),
                  .in = place(in, true),
                  .weight = place({3, 9, 1, 1}, false, 2)};
  TensorView whole = op.weight;
  whole.shape.n = 4;
  fill(op.in, 2.0f);
  for_each_index(whole.shape, [&](uint32_t ic, uint32_t oc, uint32_t, uint32_t) {
    memory.write_f32(whole, ic, oc, 0, 0, ic < 3 ? 1.0f : std::nanf(""));
  });
  ASSERT_EQ(run(op), "");
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    ASSERT_EQ(at(op.out, n, c, h, w), 6.0f);
  });
}

TEST_P(WindowsTest, LevelsOfRules) {
  const Shape in{1, 2, 4, 4};
  const Depthwise2dBm1684 legal{
      .out = place(in, true), .in = place(in, true), .weight = place({1, 2, 1, 1}, false)};
  EXPECT_EQ(run(legal), "");
  Depthwise2dBm1684 op = legal;
  op.weight.address += chip.lane_bytes;
  EXPECT_EQ(run(op), "okk_start_npu");
  op = legal;
  op.in.address += chip.lane_bytes;
  EXPECT_EQ(run(op), "okk_start_npu_same");
  op = legal;
  op.window.h.dilation = 16;
  EXPECT_EQ(run(op), "okk_window_dilation");
  op = legal;
  op.window.h.pad_before = 16;
  EXPECT_EQ(run(op), "okk_window_padding");
  op = legal;
  op.in.address = op.out.address;
  EXPECT_EQ(run(op), "") << "all sources are read before anything is written";
  op = legal;
  op.window.w = {.kernel = 0x80000001, .dilation = 0x80000001};
  EXPECT_EQ(run(op), "okk_window_output") << "a reach that overflows 32 bits";
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, WindowsTest,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return info.param == KernelChoice::reference ? "reference" : "automatic";
                         });

}  // namespace
}  // namespace tputwin::testing

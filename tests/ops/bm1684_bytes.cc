// 8-bit operations of the BM1684 that only compilers use, compared with plain formulas.
#include <gtest/gtest.h>

#include <vector>

#include "ops/conv/conv2d_bm1684_int8.h"
#include "ops/conv/depthwise2d_bm1684_int8.h"
#include "ops/conv/winograd2d_bm1684.h"
#include "selftest/operation_kinds.h"
#include "selftest/random_tensors.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

TEST(Bm1684Bytes, FactorsOfMeans) {
  const uint32_t expected[] = {0, 1, 1, 171, 1, 205, 171, 73, 1, 57};
  for (uint64_t taps = 1; taps < 10; ++taps) EXPECT_EQ(mean_factor(taps), expected[taps]) << taps;
}

// A kernel g has the transform G g G^T of weights. With G doubled they are whole numbers, and the
// results are four times as large.
TEST(Bm1684Bytes, WinogradIsTheConvolutionOfItsKernel) {
  constexpr int kG[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  const Chip& chip = chip_of(OperationKind::winograd2d_bm1684);
  Rng rng(7);
  RandomTensors tensors(rng, chip);
  TestMemory test_memory(chip);
  Memory memory = test_memory.memory();
  const Axis axis{.kernel = 3, .pad_before = 1, .pad_after = 1};
  const Shape in{3, 5, 7, 6}, out{3, 4, 7, 6};
  const auto view = [&](const Shape& s, DType type, bool aligned) {
    return tensors.dense(s, 0, type, aligned, 4);
  };
  Conv2dBm1684Int8 plain{.out = view(out, DType::i16, true),
                         .in = view(in, DType::i8, true),
                         .weight = view({in.c, out.c, 3, 3}, DType::i8, false),
                         .window = {axis, axis}};
  Winograd2dBm1684 fast{.out = view(out, DType::i16, true),
                        .in = plain.in,
                        .weight = view({in.c, out.c, 4, 4}, DType::i8, false),
                        .window = {axis, axis},
                        .rshift = 2};
  for (uint32_t ic = 0; ic < in.c; ++ic) {
    for (uint32_t n = 0; n < in.n; ++n)
      for (uint32_t i = 0; i < in.h * in.w; ++i)
        memory.write(plain.in, n, ic, i / in.w, i % in.w, static_cast<int32_t>(rng.below(64)) - 32);
    for (uint32_t oc = 0; oc < out.c; ++oc) {
      int g[3][3];
      for (auto& row : g)
        for (int& value : row) value = static_cast<int>(rng.below(9)) - 4;
      for (uint32_t i = 0; i < 9; ++i)
        memory.write(plain.weight, ic, oc, i / 3, i % 3, g[i / 3][i % 3]);
      for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t j = 0; j < 4; ++j) {
          int sum = 0;
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) sum += kG[i][a] * g[a][b] * kG[j][b];
          memory.write(fast.weight, ic, oc, i, j, sum);
        }
    }
  }
  ASSERT_TRUE(check(plain, chip).ok()) << check(plain, chip).error().message();
  ASSERT_TRUE(check(fast, chip).ok()) << check(fast, chip).error().message();
  execute(plain, memory);
  execute(fast, memory);
  for (uint32_t n = 0; n < out.n; ++n)
    for (uint32_t c = 0; c < out.c; ++c)
      for (uint32_t y = 0; y < out.h; ++y)
        for (uint32_t x = 0; x < out.w; ++x)
          ASSERT_EQ(memory.read(fast.out, n, c, y, x), memory.read(plain.out, n, c, y, x));
}

}  // namespace
}  // namespace tputwin::testing

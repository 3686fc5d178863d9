// Tests which kernel runs typical layers of networks. If a fast kernel declined such a layer, the
// layer would take ten times as long or more.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/bits.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/operation.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr Axis kThree{.kernel = 3, .pad_before = 1, .pad_after = 1};

TensorView system(const Shape& shape, uint64_t address, DType dtype) {
  return {.space = Space::global,
          .dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = address,
          .shape = shape,
          .stride = system_stride(shape, element_bytes(dtype))};
}

// Returns the kernel that runs an operation on the best instruction set; "" if none does.
template <class Op>
std::string kernel_of(const Chip& chip, const Op& op) {
  TestMemory memory(chip);
  const fast::KernelTrace trace;
  if (!fast::execute(op, memory.memory())) return "";
  return trace.events().back().kernel;
}

bool has_fast_kernels() { return fast::available_isas().size() > 1; }

Conv2dBm1684xInt8 convolution_of_bytes(Lanes& lanes, DType result) {
  return {.out = lanes.aligned({1, 64, 14, 14}, result),
          .in = lanes.aligned({1, 64, 14, 14}, DType::i8),
          .weight = Source::tensor(
              lanes.compact(weight_shape(64, 64, {kThree, kThree}, DType::i8), DType::i8)),
          .window = {kThree, kThree}};
}

Conv2dBm1684xFloat convolution_of_floats(Lanes& lanes, DType dtype) {
  return {
      .out = lanes.aligned({1, 64, 14, 14}, dtype),
      .in = lanes.aligned({1, 64, 14, 14}, dtype),
      .weight = Source::tensor(lanes.compact(weight_shape(64, 64, {kThree, kThree}, dtype), dtype)),
      .bias = lanes.compact({1, 64, 1, 1}, DType::f32),
      .window = {kThree, kThree}};
}

TEST(TypicalLayers, ConvolutionsOfTheBm1684xRunOverPlanes) {
  if (!has_fast_kernels()) return;
  for (const DType result : {DType::i32, DType::i8}) {
    Lanes lanes(bm1684x());
    EXPECT_EQ(kernel_of(bm1684x(), convolution_of_bytes(lanes, result)), "planes");
  }
  Lanes lanes(bm1684x());
  Conv2dBm1684xInt8 with_zero_point = convolution_of_bytes(lanes, DType::i32);
  with_zero_point.zero_point = Source::value(3, DType::i8);
  with_zero_point.padding = Source::value(7, DType::i8);
  EXPECT_EQ(kernel_of(bm1684x(), with_zero_point), "planes");
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    Lanes own(bm1684x());
    EXPECT_EQ(kernel_of(bm1684x(), convolution_of_floats(own, dtype)), "planes");
  }
}

// Returns true if plain sums decide most results (gemm/kernels/rounded_groups-inl.h).
template <class Op>
bool has_plain_sums(const Op& op) {
  TestMemory memory(bm1684x());
  const fast::KernelTrace trace;
  EXPECT_TRUE(fast::execute(op, memory.memory()));
  return std::ranges::any_of(trace.events(),
                             [](const auto& e) { return e.kernel == "plain sums"; });
}

TEST(TypicalLayers, ResultsInBf16AreRoundedFromPlainSums) {
  if (!has_fast_kernels()) return;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    Lanes lanes(bm1684x());
    Conv2dBm1684xFloat op = convolution_of_floats(lanes, dtype);
    EXPECT_EQ(has_plain_sums(op), dtype == DType::bf16);
    op.out = lanes.aligned(op.out.shape, DType::f32);
    EXPECT_FALSE(has_plain_sums(op));
  }
  for (const DType result : {DType::f32, DType::bf16}) {
    Lanes lanes(bm1684x());
    EXPECT_EQ(has_plain_sums(MatmulBm1684xHalf{.out = lanes.by_rows(64, 256, result),
                                               .left = lanes.by_rows(64, 96, DType::bf16),
                                               .right = lanes.by_rows(96, 256, DType::bf16)}),
              result == DType::bf16);
  }
}

TEST(TypicalLayers, ProductsOfTheBm1684xAreCopiedOrReadInPlace) {
  if (!has_fast_kernels()) return;
  for (const uint32_t rows : {1u, 64u}) {
    Lanes single(bm1684x());
    EXPECT_EQ(
        kernel_of(bm1684x(), MatmulBm1684xFp32{.out = single.by_columns(rows, 256, DType::f32),
                                               .left = single.by_columns(rows, 96, DType::f32),
                                               .right = single.by_columns(96, 256, DType::f32)}),
        "in place");
    Lanes half(bm1684x());
    EXPECT_EQ(kernel_of(bm1684x(), MatmulBm1684xHalf{.out = half.by_rows(rows, 256, DType::f16),
                                                     .left = half.by_rows(rows, 96, DType::f16),
                                                     .right = half.by_rows(96, 256, DType::f16)}),
              rows == 1 ? "few rows" : "packed");
    Lanes bytes(bm1684x());
    EXPECT_EQ(kernel_of(bm1684x(), MatmulBm1684xInt{.out = bytes.by_rows(rows, 256, DType::i32),
                                                    .left = bytes.by_rows(rows, 96, DType::i8),
                                                    .right = bytes.by_rows(96, 256, DType::i8),
                                                    .zero_point = Source::value(3, DType::i8)}),
              rows == 1 && fast::tile_kernels().row_of_bytes != nullptr ? "one row" : "packed");
  }
}

TEST(TypicalLayers, OfTheBm1684) {
  if (!has_fast_kernels()) return;
  const auto convolution = [](uint32_t channels, const Axis& axis, bool accumulate) {
    Lanes lanes(bm1684());
    const Shape weight{channels, 64, axis.kernel, axis.kernel};
    return Conv2dBm1684{.out = lanes.aligned({2, 64, 14, 14}, DType::f32),
                        .in = lanes.aligned({2, channels, 14, 14}, DType::f32),
                        .weight = lanes.compact(weight, DType::f32, 2),
                        .window = {axis, axis},
                        .accumulate = accumulate};
  };
  EXPECT_EQ(kernel_of(bm1684(), convolution(64, kThree, false)), "planes");
  EXPECT_EQ(kernel_of(bm1684(), convolution(64, Axis{}, false)), "planes");
  EXPECT_EQ(kernel_of(bm1684(), convolution(1, Axis{}, true)), "short rows");
  const auto product = [](uint32_t depth) {
    Lanes lanes(bm1684());
    return MatmulBm1684{.out = lanes.matrix(16, 256, 32, DType::f32),
                        .left = lanes.matrix(16, depth, depth, DType::f32),
                        .right = lanes.matrix(depth, 256, 32, DType::f32),
                        .accumulate = true};
  };
  EXPECT_EQ(kernel_of(bm1684(), product(96)), "in place");
  EXPECT_EQ(kernel_of(bm1684(), product(3)), "short rows");
}

TEST(TypicalLayers, OfBytesOfTheBm1684) {
  if (!has_fast_kernels()) return;
  const Shape maps{4, 64, 14, 14};
  Lanes lanes(bm1684());
  const Winograd2dBm1684 winograd{.out = lanes.aligned(maps, DType::i8, 4),
                                  .in = lanes.aligned(maps, DType::u8, 4),
                                  .weight = lanes.compact({64, 64, 4, 4}, DType::i8, 4),
                                  .window = {kThree, kThree},
                                  .rshift = 8};
  EXPECT_EQ(kernel_of(bm1684(), winograd), "tiles");
  for (const uint32_t rows : {1u, 64u}) {
    Lanes own(bm1684());
    const MatmulBm1684Int8 product{.out = own.matrix(rows, 256, 32, DType::i8),
                                   .left = own.matrix(rows, 96, 32, DType::i8),
                                   .right = own.matrix(96, 256, 32, DType::i8),
                                   .rshift = 8};
    EXPECT_EQ(kernel_of(bm1684(), product),
              rows == 1 && fast::tile_kernels().row_of_bytes != nullptr ? "one row" : "packed");
  }
}

// Returns the values (1,3,2,2) that the layer computes on an instruction set.
template <class Op>
std::vector<int32_t> run(const std::string& isa, const Op& op, const Memory& memory) {
  fast::select_isa(isa);
  if (!fast::execute(op, memory)) execute(op, memory);
  fast::select_isa("");
  std::vector<int32_t> values;
  for (uint32_t i = 0; i < 12; ++i)
    values.push_back(memory.read(op.out, 0, i / 4, i / 2 % 2, i % 2));
  return values;
}

// The largest number of channels whose sums of the largest numbers fit in int32. With one more
// channel only the reference kernel runs.
TEST(TypicalLayers, LargestSumsOfWinogradsMethod) {
  constexpr uint32_t kMost = 3289;
  const auto layer = [](uint32_t channels) {
    Lanes lanes(bm1684());
    return Winograd2dBm1684{.out = lanes.aligned({1, 3, 2, 2}, DType::i16, 4),
                            .in = lanes.aligned({1, channels, 2, 2}, DType::u8, 4),
                            .weight = lanes.compact({channels, 3, 4, 4}, DType::i8, 4),
                            .window = {kThree, kThree},
                            .rshift = 16};
  };
  if (!has_fast_kernels()) return;
  EXPECT_EQ(kernel_of(bm1684(), layer(kMost + 1)), "");
  const Winograd2dBm1684 op = layer(kMost);
  const auto results = [&](const std::string& isa) {
    TestMemory test_memory(bm1684());
    const Memory memory = test_memory.memory();
    for (uint32_t c = 0; c < kMost; ++c)
      for (uint32_t i = 0; i < 16; ++i) {
        if (i < 4) memory.write(op.in, 0, c, i / 2, i % 2, 255);
        // All weights of one sign, or with the signs of the inputs' transforms.
        for (uint32_t oc = 0; oc < 3; ++oc)
          memory.write(op.weight, c, oc, i / 4, i % 4, oc == 0 ? -128 : (oc + i) % 3 ? 127 : -128);
      }
    return run(isa, op, memory);
  };
  for (const std::string& isa : fast::available_isas())
    EXPECT_EQ(results(isa), results("reference")) << isa;
}

// A layer of 2,048 input channels, as networks of segmentation end, and the largest numbers of
// channels whose sums of the largest numbers fit. With one more only the reference kernel runs.
TEST(TypicalLayers, LargestSumsOfBytes) {
  if (!has_fast_kernels()) return;
  const auto layer = [](uint32_t channels, const Axis& axis, DType in, DType weight) {
    Lanes lanes(bm1684());
    const Shape weights{channels, 3, axis.kernel, axis.kernel};
    return Conv2dBm1684Int8{.out = lanes.aligned({1, 3, 2, 2}, DType::i16, 4),
                            .in = lanes.aligned({1, channels, 2, 2}, in, 4),
                            .weight = lanes.compact(weights, weight, 4),
                            .window = {axis, axis},
                            .rshift = 16};
  };
  EXPECT_EQ(kernel_of(bm1684(), layer(2048, kThree, DType::i8, DType::i8)), "planes");
  for (const DType in : {DType::i8, DType::u8})
    for (const DType weight : {DType::i8, DType::u8}) {
      const bool has_sign = in == DType::i8 || weight == DType::i8;
      const uint32_t most = has_sign ? 3655 : 1834;
      EXPECT_EQ(kernel_of(bm1684(), layer(most + 1, kThree, in, weight)), "");
      const Conv2dBm1684Int8 op = layer(most, kThree, in, weight);
      const auto results = [&](const std::string& isa) {
        TestMemory test_memory(bm1684());
        const Memory memory = test_memory.memory();
        for (uint32_t c = 0; c < most; ++c)
          for (uint32_t i = 0; i < 9; ++i) {
            if (i < 4) memory.write(op.in, 0, c, i / 2, i % 2, in == DType::i8 ? -128 : 255);
            // All weights the smallest or the largest, or both by turns.
            const int least = weight == DType::i8 ? -128 : 0, largest = least + 255;
            for (uint32_t oc = 0; oc < 3; ++oc)
              memory.write(op.weight, c, oc, i / 3, i % 3,
                           oc == 0 || (oc == 2 && (c + i) % 2 == 0) ? least : largest);
          }
        return run(isa, op, memory);
      };
      const std::vector<int32_t> expected = results("reference");
      for (const std::string& isa : fast::available_isas())
        EXPECT_EQ(results(isa), expected) << isa;
    }
}

TEST(TypicalLayers, TransposingCopiesGoTileByTile) {
  if (!has_fast_kernels()) return;
  const Shape shape{1, 32, 24, 40};
  for (const DType dtype : {DType::u8, DType::f16, DType::f32}) {
    TensorView src = system(shape, 1 << 20, dtype);
    const uint32_t bytes = element_bytes(dtype);
    src.stride = {0, bytes, 40 * 32 * bytes, 32 * bytes};  // channels last
    EXPECT_EQ(
        kernel_of(bm1684x(), Copy{.dst = system(shape, 0, dtype), .src = Source::tensor(src)}),
        "tiles");
  }
}

}  // namespace
}  // namespace tputwin::testing

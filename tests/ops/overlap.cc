// Operands that share bytes, with values: engines that read first, and the GDMA, which reads bytes
// that it has written.
#include <gtest/gtest.h>

#include "ops/fast/fast.h"
#include "ops/packed.h"
#include "ops/read_order.h"

namespace tputwin::testing {
namespace {

class SharedBytes : public ::testing::TestWithParam<KernelChoice> {
 protected:
  // Returns elements of 4 bytes in a row of one lane, or of global memory.
  static TensorView row(Space space, uint64_t address, uint32_t count) {
    return {.space = space,
            .dtype = DType::b32,
            .address = address,
            .shape = {1, 1, 1, count},
            .stride = {0, 0, 0, 4}};
  }
  void put(const TensorView& view, int32_t first) {
    for (uint32_t w = 0; w < view.shape.w; ++w)
      memory_.memory().write(view, 0, 0, 0, w, first + static_cast<int32_t>(w));
  }
  std::vector<int32_t> get(const TensorView& view) {
    std::vector<int32_t> values;
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      values.push_back(memory_.memory().read(view, n, c, h, w));
    });
    return values;
  }
  void run(const Operation& op, const Chip& chip) {
    const Status status = check(op, chip);
    EXPECT_TRUE(status.ok()) << status.message();
    execute(op, memory_.memory(), GetParam());
  }
  using Values = std::vector<int32_t>;

  TestMemory memory_{bm1684x()};
};

TEST_P(SharedBytes, TheTensorEngineMovesARowByAnElement) {
  for (const int64_t distance : {-8, -4, 4, 8}) {
    const TensorView from = row(Space::local, 128, 5);
    put(from, 10);
    run(Copy{.engine = Engine::compute,
             .dst = row(Space::local, 128 + distance, 5),
             .src = Source::tensor(from)},
        bm1684x());
    EXPECT_EQ(get(row(Space::local, 128 + distance, 5)), (Values{10, 11, 12, 13, 14}));
  }
}

TEST_P(SharedBytes, GdmaReadsBackWhatItWroteAbove) {
  for (const Space space : {Space::local, Space::global}) {
    const TensorView from = row(space, 128, 5);
    put(from, 10);
    run(Copy{.dst = row(space, 136, 5), .src = Source::tensor(from)}, bm1684x());
    EXPECT_EQ(get(row(space, 128, 7)), (Values{10, 11, 10, 11, 10, 11, 10}));
    put(from, 10);
    run(Copy{.dst = row(space, 120, 5), .src = Source::tensor(from)}, bm1684x());
    EXPECT_EQ(get(row(space, 120, 5)), (Values{10, 11, 12, 13, 14}));
  }
}

// (2,3) to (3,2), one element above or below. In the order of the source, a b c d e f are written
// to positions 1, 3, 5, 2, 4, 6; each is read just before its write.
TEST_P(SharedBytes, TranspositionByGdmaGoesInTheOrderOfTheSource) {
  const auto matrix = [](uint64_t address, uint32_t n, uint32_t c) {
    TensorView view = row(Space::global, address, 1);
    view.shape = {n, c, 1, 1};
    view.stride = {4 * c, 4, 0, 4};
    return view;
  };
  put(row(Space::global, 0, 7), 10);
  run(Rearrange{.kind = Rearrange::Kind::swap_nc, .out = matrix(4, 3, 2), .in = matrix(0, 2, 3)},
      bm1684x());
  EXPECT_EQ(get(row(Space::global, 0, 7)), (Values{10, 10, 10, 10, 14, 12, 12}));
  put(row(Space::global, 0, 7), 10);
  run(Rearrange{.kind = Rearrange::Kind::swap_nc, .out = matrix(0, 3, 2), .in = matrix(4, 2, 3)},
      bm1684x());
  EXPECT_EQ(get(row(Space::global, 0, 7)), (Values{11, 13, 12, 15, 13, 16, 16}));
}

// fp16 onto fp32 at the same address: the call is refused, but the command reads first.
TEST_P(SharedBytes, ACastWidensInPlace) {
  const Shape shape{1, 1, 1, 4};
  const TensorView half{.dtype = DType::f16,
                        .plane_stride = 1,
                        .address = 256,
                        .shape = shape,
                        .stride = {0, 0, 0, 2}};
  const TensorView wide{
      .dtype = DType::f32, .address = 256, .shape = shape, .stride = {0, 0, 0, 4}};
  for (uint32_t w = 0; w < 4; ++w)
    memory_.memory().write(half, 0, 0, 0, w, 0x3c00 + static_cast<int32_t>(w << 10));
  run(Convert{.out = wide, .in = half}, bm1684x());
  EXPECT_EQ(get(wide), (Values{0x3f80'0000, 0x4000'0000, 0x4080'0000, 0x4100'0000}));
}

// The largest of each window of three, onto the middle one.
TEST_P(SharedBytes, APoolOnItsOwnInput) {
  TensorView map = row(Space::local, 512, 6);
  map.dtype = DType::f32;
  const float values[] = {1, 5, 2, 4, 3, 0};
  for (uint32_t w = 0; w < 6; ++w) memory_.memory().write_f32(map, 0, 0, 0, w, values[w]);
  run(Pool2dBm1684{.kind = Pool2dBm1684::Kind::maximum,
                   .out = map,
                   .in = map,
                   .window = {{}, {.kernel = 3, .pad_before = 1, .pad_after = 1}}},
      bm1684());
  std::vector<float> out;
  for (uint32_t w = 0; w < 6; ++w) out.push_back(memory_.memory().read_f32(map, 0, 0, 0, w));
  EXPECT_EQ(out, (std::vector<float>{5, 5, 5, 4, 4, 3}));
}

TEST_P(SharedBytes, WhatIsNotKnownIsWarnedOf) {
  const TensorView at = row(Space::global, 0, 4), on = row(Space::global, 4, 4);
  TensorView columns = at;
  columns.shape = {1, 4, 1, 1};
  columns.stride = {0, 4, 0, 4};
  const Operation transposed =
      Rearrange{.kind = Rearrange::Kind::swap_cw, .out = columns, .in = at};
  EXPECT_EQ(check(transposed, bm1684x()).error().code(), "TW-OPS-0018");
  TensorView found = on;
  found.dtype = DType::u32;
  const Operation nonzero = MaskSelect{.kind = MaskSelect::Kind::positions, .out = found, .in = at};
  EXPECT_EQ(check(nonzero, bm1684x()).error().code(), "TW-TPU-0018");
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, SharedBytes,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return info.param == KernelChoice::reference ? "reference" : "automatic";
                         });

}  // namespace
}  // namespace tputwin::testing

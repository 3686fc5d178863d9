// fp32 convolutions and products of sizes at which loops change: planes in bands and in groups of
// images, panels that are packed late, tiles of few rows, channels of few columns. Not built for
// Arm: under an emulator they take minutes, and random operations also use bands there.
#if defined(__x86_64__)
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float32.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

// The bytes of a lane that operations use, and those after them that are checked.
constexpr uint64_t kLaneBytes = 96 << 10, kMargin = 4 << 10;

// Writes usual numbers; a few are zeros of both signs, subnormals, infinities and NaN.
void fill(TestMemory& memory) {
  std::mt19937 random(7);
  constexpr uint32_t kRare[] = {0x80000000, 0, 1, 0x7f800000, 0xff800000, 0x7fc12345, 0xffa00001};
  for (uint32_t lane = 0; lane < memory.local().lanes(); ++lane) {
    uint8_t* const bytes = memory.local().lane(lane);
    for (uint64_t at = 0; at < kLaneBytes; at += sizeof(float)) {
      const float usual = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f;
      uint32_t bits = f32::bits(usual);
      if (random() % 5000 == 0) bits = kRare[random() % std::size(kRare)];
      std::memcpy(bytes + at, &bits, sizeof bits);
    }
  }
}

struct Memories {
  TestMemory before{bm1684()}, expected{bm1684()}, actual{bm1684()};
  Memories() { fill(before); }
};
Memories& memories() {
  static Memories all;
  return all;
}

void copy_lanes(TestMemory& to, TestMemory& from) {
  for (uint32_t lane = 0; lane < bm1684().lanes; ++lane)
    std::memcpy(to.local().lane(lane), from.local().lane(lane), kLaneBytes);
}
bool have_equal_lanes(TestMemory& a, TestMemory& b) {
  for (uint32_t lane = 0; lane < bm1684().lanes; ++lane)
    if (std::memcmp(a.local().lane(lane), b.local().lane(lane), kLaneBytes) != 0) return false;
  return true;
}

// Compares all lanes after the operation, with every instruction set, budget and number of threads.
void expect_reference_bytes(const std::string& name, const Operation& op) {
  auto& [before, expected, actual] = memories();
  const ScopedFloatMode mode;
  copy_lanes(expected, before);
  execute(op, expected.memory(), KernelChoice::reference);
  const std::string usual(fast::selected_isa());
  for (const std::string& isa : fast::available_isas())
    for (const bool is_small : {false, true})
      for (const int threads : {1, 2}) {
        if (isa == "reference") continue;
        fast::select_isa(isa);
        set_thread_count(threads);
        if (is_small) fast::set_budgets({.task_work = 1, .copies = 20000, .band = 3000});
        copy_lanes(actual, before);
        EXPECT_TRUE(execute_fast(op, actual.memory())) << name;
        fast::set_budgets({});
        EXPECT_TRUE(have_equal_lanes(actual, expected))
            << name << " on " << isa << " with " << threads << " threads, "
            << (is_small ? "small" : "usual") << " budgets";
      }
  set_thread_count(0);
  fast::select_isa(usual);
}

struct Layer {
  const char* name;
  Shape in;
  uint32_t channels, kernel, stride, pad;
  bool has_bias, accumulates;
};
constexpr Layer kLayers[] = {
    {"bands of rows", {1, 18, 71, 83}, 3, 3, 1, 1, true, false},
    {"bands of rows, strided", {1, 12, 61, 127}, 9, 3, 2, 1, false, true},
    {"bands of columns", {1, 40, 57, 50}, 11, 1, 1, 0, true, true},
    {"bands of images", {5, 17, 29, 44}, 2, 3, 1, 1, false, false},
    {"few channels", {2, 20, 33, 41}, 3, 3, 1, 1, true, false},
    {"one channel", {1, 30, 40, 37}, 1, 5, 1, 2, false, false},
    {"panels packed late, three to a lane", {1, 66, 3, 4}, 150, 3, 1, 1, true, true},
    {"panels packed late, of odd channels", {1, 67, 2, 5}, 70, 2, 1, 1, true, false},
    {"lines of weights, late, of an odd number of pairs",
     {19, 66, 1, 1},
     215,
     1,
     1,
     0,
     true,
     false},
    {"lines of weights", {1, 34, 23, 29}, 215, 1, 1, 0, false, false},
    {"lines of weights of nine taps", {1, 8, 6, 7}, 215, 3, 1, 1, true, true},
    {"images of one place", {21, 70, 1, 1}, 75, 1, 1, 0, true, false},
    {"images of one place, many channels in a lane", {21, 1100, 1, 1}, 9, 1, 1, 0, false, true},
};

TEST(Planes, OfTheBm1684EqualTheReferenceKernel) {
  for (const Layer& layer : kLayers) {
    const Axis axis{.kernel = layer.kernel,
                    .stride = layer.stride,
                    .pad_before = layer.pad,
                    .pad_after = layer.pad};
    const Shape out{layer.in.n, layer.channels, axis.output(layer.in.h), axis.output(layer.in.w)};
    Lanes lanes(bm1684());
    Conv2dBm1684 op{.out = lanes.aligned(out),
                    .in = lanes.aligned(layer.in),
                    .weight = lanes.compact(
                        {layer.in.c, layer.channels, layer.kernel, layer.kernel}, DType::f32, 2),
                    .window = {axis, axis},
                    .accumulate = layer.accumulates};
    if (layer.has_bias) op.bias = lanes.compact({1, layer.channels, 1, 1});
    ASSERT_LE(lanes.end(), kLaneBytes - kMargin);
    expect_reference_bytes(layer.name, op);
  }
}

TEST(Planes, ProductsOfChannelsOfFewColumnsEqualTheReferenceKernel) {
  for (const uint32_t width : {1u, 2u, 3u, 4u, 8u})
    for (const uint32_t rows : {3u, 24u}) {
      Lanes lanes(bm1684());
      const MatmulBm1684 op{.out = lanes.matrix(rows, 13 * width + width / 2, width),
                            .left = lanes.matrix(rows, 70, 16),
                            .right = lanes.matrix(70, 13 * width + width / 2, width)};
      ASSERT_LE(lanes.end(), kLaneBytes - kMargin);
      expect_reference_bytes("width " + std::to_string(width), op);
    }
}

// Returns the operation on fp16 or bf16. Its operands are arbitrary bits, so rare values are
// frequent.
Operation float16_of(const Depthwise2dBm1684& op, DType type) {
  Lanes lanes(bm1684x());
  const auto placed = [&](const TensorView& v) { return lanes.compact(v.shape, type); };
  Depthwise2dBm1684xFloat op16{.out = lanes.aligned(op.out.shape, type),
                               .in = lanes.aligned(op.in.shape, type),
                               .weight = Source::tensor(placed(op.weight)),
                               .padding = 0x3c01,
                               .window = op.window};
  if (op.bias) op16.bias = placed(*op.bias);
  return op16;
}

// Rows shorter than a vector, of one vector, and of some vectors and a rest; rows whose columns are
// all under padding.
TEST(Planes, WindowsOfThreeEqualTheReferenceKernel) {
  constexpr uint32_t kPads[][2] = {{0, 0}, {1, 1}, {2, 1}, {0, 2}, {3, 0}, {1, 0}};
  uint32_t index = 0;
  for (const uint32_t width :
       {1u, 3u, 4u, 7u, 8u, 15u, 16u, 17u, 18u, 19u, 31u, 33u, 34u, 35u, 65u})
    for (const uint32_t step : {1u, 2u})
      for (const uint32_t height : {1u, 4u, 10u}) {
        const auto& [before, after] = kPads[index++ % std::size(kPads)];
        const Axis h{.kernel = 3, .stride = step, .pad_before = after + 1, .pad_after = before + 1};
        const Axis w{.kernel = 3, .stride = step, .pad_before = before, .pad_after = after};
        if (w.padded(width) < w.reach()) continue;
        Lanes lanes(bm1684());
        Depthwise2dBm1684 op{.out = lanes.aligned({2, 67, h.output(height), w.output(width)}),
                             .in = lanes.aligned({2, 67, height, width}),
                             .weight = lanes.compact({1, 67, 3, 3}),
                             .window = {h, w}};
        if (index % 2 != 0) op.bias = lanes.compact({1, 67, 1, 1});
        ASSERT_LE(lanes.end(), kLaneBytes - kMargin);
        const std::string name = "rows of " + std::to_string(width) + " by " +
                                 std::to_string(step) + ", padding " + std::to_string(before) +
                                 " and " + std::to_string(after);
        expect_reference_bytes(name, op);
        for (const DType type : {DType::f16, DType::bf16})
          expect_reference_bytes(name + (type == DType::f16 ? ", fp16" : ", bf16"),
                                 float16_of(op, type));
      }
}

TEST(Planes, WindowsOverWholePlanesEqualTheReferenceKernel) {
  constexpr uint32_t kExtents[][2] = {{7, 7}, {5, 3}, {1, 2}, {4, 9}, {14, 14}};
  for (const auto& [height, width] : kExtents)
    for (const uint32_t images : {1u, 3u})
      for (const bool has_bias : {false, true}) {
        Lanes lanes(bm1684());
        Depthwise2dBm1684 op{.out = lanes.aligned({images, 131, 1, 1}),
                             .in = lanes.aligned({images, 131, height, width}),
                             .weight = lanes.compact({1, 131, height, width}),
                             .window = {{.kernel = height}, {.kernel = width}}};
        if (has_bias) op.bias = lanes.compact({1, 131, 1, 1});
        ASSERT_LE(lanes.end(), kLaneBytes - kMargin);
        const std::string name = std::to_string(height) + "x" + std::to_string(width);
        expect_reference_bytes(name, op);
        for (const DType type : {DType::f16, DType::bf16})
          expect_reference_bytes(name + (type == DType::f16 ? ", fp16" : ", bf16"),
                                 float16_of(op, type));
      }
}

}  // namespace
}  // namespace tputwin::testing
#endif

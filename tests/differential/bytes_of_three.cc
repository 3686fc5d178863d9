// Depthwise convolutions of bytes by 3x3, of widths at which the layout of their planes changes,
// with padding on all sides, beyond the input, too. The results equal the reference kernel's.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/parallel.h"
#include "common/rng.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/fill_operands.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

// Bytes after the operands of a lane that are compared, too.
constexpr uint64_t kMargin = 256;

class BytesOfThree : public ::testing::Test {
 protected:
  void TearDown() override {
    set_thread_count(0);
    fast::select_isa("");
  }

  // Draws the shape of an input and the window.
  void draw(Rng& rng) {
    const uint32_t step = rng.range(1, 2);
    const auto axis = [&](uint32_t extent) {
      Axis drawn{.kernel = 3, .stride = step};
      const uint32_t most = rng.chance(1, 6) ? 6 : 1;
      drawn.pad_before = rng.range(0, most), drawn.pad_after = rng.range(0, most);
      if (drawn.output(extent) == 0) drawn.pad_after = 3;
      return drawn;
    };
    constexpr uint32_t kWidths[] = {14, 15, 16, 17, 18, 28, 30, 31,  32,  33,  46,  47,  62,
                                    63, 64, 65, 66, 67, 80, 96, 112, 126, 127, 128, 129, 150};
    const uint32_t width = rng.coin() ? kWidths[rng.below(std::size(kWidths))] : rng.range(1, 140);
    in_ = {rng.chance(1, 4) ? 2u : 1u, rng.range(1, 70), rng.range(1, 20), width};
    window_ = {axis(in_.h), axis(in_.w)};
    out_ = {in_.n, in_.c, window_.h.output(in_.h), window_.w.output(in_.w)};
  }

  void expect_reference_bytes(TestMemory& memory, const Chip& chip, const Operation& op,
                              uint64_t bytes) {
    TestMemory &expected = memory_of(chip, 0), &actual = memory_of(chip, 1);
    const auto copy = [&](TestMemory& to) {
      for (uint32_t lane = 0; lane < chip.lanes; ++lane)
        std::memcpy(to.local().lane(lane), memory.local().lane(lane), bytes);
    };
    copy(expected);
    execute(op, expected.memory(), KernelChoice::reference);
    for (const std::string& isa : fast::available_isas())
      for (const int threads : {1, 2}) {
        if (isa == "reference") continue;
        fast::select_isa(isa);
        set_thread_count(threads);
        copy(actual);
        ASSERT_TRUE(execute_fast(op, actual.memory())) << isa;
        for (uint32_t lane = 0; lane < chip.lanes; ++lane)
          ASSERT_EQ(std::memcmp(actual.local().lane(lane), expected.local().lane(lane), bytes), 0)
              << "on " << isa << " with " << threads << " threads, lane " << lane << ": input "
              << in_.n << 'x' << in_.c << 'x' << in_.h << 'x' << in_.w << ", strides of "
              << window_.h.stride;
      }
  }

  static TestMemory& memory_of(const Chip& chip, size_t number) {
    static TestMemory bm1880_memories[] = {TestMemory(bm1880()), TestMemory(bm1880()),
                                           TestMemory(bm1880())};
    static TestMemory bm1684x_memories[] = {TestMemory(bm1684x()), TestMemory(bm1684x()),
                                            TestMemory(bm1684x())};
    return (chip.family == bm1880().family ? bm1880_memories : bm1684x_memories)[number];
  }
  // Returns a memory of random bytes.
  static TestMemory& random_memory(const Chip& chip) {
    TestMemory& memory = memory_of(chip, 2);
    Rng rng(7);
    fill_random(rng, memory.local_bytes());
    return memory;
  }

  Shape in_, out_;
  Window window_;
};

TEST_F(BytesOfThree, OfTheBm1880) {
  const RandomCases cases(300);
  TestMemory& memory = random_memory(bm1880());
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    draw(rng);
    Lanes lanes(bm1880());
    Depthwise2dBm1880 op{.out = lanes.aligned(out_, DType::i8),
                         .in = lanes.aligned(in_, rng.coin() ? DType::i8 : DType::u8),
                         .weight = lanes.aligned({1, in_.c, 3, 3}, DType::i8),
                         .window = window_,
                         .rshift = rng.chance(1, 8) ? rng.range(0, 31) : rng.range(4, 11)};
    if (rng.coin()) op.bias = conv_bias(bm1880(), lanes.end(), in_.c, true);
    const uint64_t bytes = lanes.end() + 16 + kMargin;
    if (bytes < bm1880().lane_bytes) expect_reference_bytes(memory, bm1880(), op, bytes);
  }
}

TEST_F(BytesOfThree, OfTheBm1684x) {
  const RandomCases cases(300);
  TestMemory& memory = random_memory(bm1684x());
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    draw(rng);
    Lanes lanes(bm1684x());
    const auto byte = [&] { return rng.coin() ? DType::i8 : DType::u8; };
    Depthwise2dBm1684xInt8 op{
        .out = lanes.aligned(out_, rng.pick({DType::i8, DType::u8, DType::i16, DType::i32})),
        .in = lanes.aligned(in_, byte()),
        .weight = Source::tensor(lanes.compact({1, in_.c, 3, 3}, byte())),
        .window = window_,
        .rshift = rng.range(0, 11),
        .relu = false,
        .is_rotated = rng.coin()};
    if (rng.coin()) op.bias = lanes.compact({1, in_.c, 1, 1}, DType::i32);
    const auto padding = static_cast<uint8_t>(rng.next());
    op.padding = Source::value(
        op.in.dtype == DType::i8 ? static_cast<uint32_t>(static_cast<int8_t>(padding)) : padding,
        op.in.dtype);
    const uint64_t bytes = lanes.end() + kMargin;
    if (bytes < bm1684x().lane_bytes) expect_reference_bytes(memory, bm1684x(), op, bytes);
  }
}

}  // namespace
}  // namespace tputwin::testing

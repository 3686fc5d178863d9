// Copies, fills, matrices, and logic of 32-bit elements.
#include "ops/packed.h"

namespace tputwin::testing {
namespace {

using Kind = Bitwise::Kind;

struct MovementTest : ::testing::Test, PackedLanes {
  static Values counting(uint64_t count) {
    Values values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<int32_t>(i);
    return values;
  }
};

// Channels of the destination wrap round the lanes once more than those of the source.
TEST_F(MovementTest, CopiesBetweenAllMemories) {
  const Shape s{2, 70, 3, 5};
  const TensorView views[] = {plain(0, s), plain(uint64_t{63} * chip.lane_bytes + 8192, s),
                              system(Space::global, 4, s), system(Space::l2, 1 << 20, s),
                              system(Space::dtcm, 64, s)};
  for (const KernelChoice kernel_choice : kKernelChoices)
    for (const TensorView& src : views)
      for (const TensorView& dst : views) {
        put(dst, {-1});
        put(src, counting(s.count()));
        run(Copy{.dst = dst, .src = Source::tensor(src)}, kernel_choice);
        EXPECT_EQ(get(dst), counting(s.count())) << describe(src) << " to " << describe(dst);
      }
}

TEST_F(MovementTest, BroadcastsAndTransposes) {
  const Shape s{2, 3, 4, 1};
  for (const KernelChoice kernel_choice : kKernelChoices) {
    TensorView src = system(Space::global, 0, s);
    put(src, counting(s.count()));
    src.stride = {0, 4, 12, 0};  // columns of a matrix of 4 rows
    const TensorView dst = plain(0, s);
    run(Copy{.dst = dst, .src = Source::tensor(src)}, kernel_choice);
    EXPECT_EQ(get(dst), (Values{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11,  //
                                0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  }
}

TEST_F(MovementTest, FillsWithTheBitsOfTheElement) {
  const Shape s{1, 65, 2, 9};
  for (const KernelChoice kernel_choice : kKernelChoices)
    for (const DType dtype : {DType::u8, DType::u16, DType::b32}) {
      const TensorView dst = plain(uint64_t{5} * chip.lane_bytes, s, dtype);
      run(Copy{.dst = dst, .src = Source::value(0x1234'5678u)}, kernel_choice);
      const int32_t expected = dtype == DType::u8    ? 0x78
                               : dtype == DType::u16 ? 0x5678
                                                     : 0x1234'5678;
      EXPECT_EQ(get(dst), Values(s.count(), expected));
    }
}

TEST_F(MovementTest, MatricesLeavePaddingColumns) {
  const uint32_t rows = 3, cols = 10, width = 4;
  for (const KernelChoice kernel_choice : kKernelChoices) {
    const TensorView lanes = plain(uint64_t{62} * chip.lane_bytes, {rows, 3, 1, width});
    TensorView global = system(Space::global, 0, {rows, 1, 1, cols});
    global.stride.n = 16 * 4;
    put(lanes, {-7});
    put(global, counting(rows * cols));
    run(CopyMatrix{{lanes, rows, cols}, {global, rows, cols}}, kernel_choice);
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < 12; ++c)
        EXPECT_EQ(memory().read(lanes, r, c / width, 0, c % width),
                  c < cols ? static_cast<int32_t>(r * cols + c) : -7);
    put(global, {0});
    run(CopyMatrix{{global, rows, cols}, {lanes, rows, cols}}, kernel_choice);
    EXPECT_EQ(get(global), counting(rows * cols));
  }
}

TEST_F(MovementTest, FindsOverlapsInPart) {
  const Shape s{1, 2, 4, 4};
  const TensorView a = system(Space::global, 0, s), b = system(Space::global, 4, s);
  EXPECT_TRUE(overlap_in_part(a, b, chip));
  EXPECT_FALSE(overlap_in_part(a, a, chip));
  EXPECT_FALSE(overlap_in_part(a, system(Space::l2, 0, s), chip));
  // columns next to each other
  TensorView left = system(Space::global, 0, s), right = system(Space::global, 16, s);
  left.stride = right.stride = {256, 128, 32, 4};
  EXPECT_FALSE(overlap_in_part(left, right, chip));
  // equal offsets in other lanes
  const Shape one{1, 2, 1, 1};
  EXPECT_FALSE(overlap_in_part(plain(0, one), plain(uint64_t{2} * chip.lane_bytes, one), chip));
  EXPECT_TRUE(overlap_in_part(plain(0, one), plain(uint64_t{1} * chip.lane_bytes, one), chip));
}

struct BitwiseCase {
  Kind kind;
  uint32_t a;
  int32_t b;
  uint32_t expected;
  bool keeps_at_32 = false;
};

constexpr BitwiseCase kBitwise[] = {
    {Kind::bit_and, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {Kind::bit_or, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {Kind::bit_xor, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {Kind::arithmetic_shift, 0x80000001, 1, 2},
    {Kind::arithmetic_shift, 0x80000001, -1, 0xc0000000},  // truncates
    {Kind::arithmetic_shift, 0x80000001, -31, 0xffffffff},
    {Kind::arithmetic_shift, 0x80000001, -32, 0xffffffff},
    {Kind::arithmetic_shift, 0x80000001, 32, 0},
    {Kind::arithmetic_shift, 0x80000001, -32, 0x80000001, true},
    {Kind::arithmetic_shift, 0x80000001, 32, 0x80000001, true},
    {Kind::logical_shift, 0x80000001, -31, 1},
    {Kind::logical_shift, 0x80000001, -32, 0},
    {Kind::logical_shift, 0x80000001, 32, 0},
    {Kind::logical_shift, 0x80000001, 32, 0x80000001, true},
    {Kind::logical_shift, 0x80000001, 31, 0x80000000},
    {Kind::logical_shift, 0x80000001, 33, 1},            // as -31
    {Kind::logical_shift, 0x80000001, -33, 0x80000000},  // as 31
    {Kind::logical_shift, 0x80000001, 96, 0},            // as -32
};

TEST_F(MovementTest, ComputesLogicAndShifts) {
  const Shape s{2, 66, 1, 7};
  for (const BitwiseCase& c : kBitwise)
    for (const KernelChoice kernel_choice : kKernelChoices) {
      const Bitwise op{.kind = c.kind,
                       .out = plain(0, s),
                       .a = Source::tensor(plain(4096, s)),
                       .b = Source::tensor(plain(8192, s)),
                       .keeps_at_32 = c.keeps_at_32};
      put(op.a.view, {static_cast<int32_t>(c.a)});
      put(op.b.view, {c.b});
      run(op, kernel_choice);
      EXPECT_EQ(get(op.out), Values(s.count(), static_cast<int32_t>(c.expected)))
          << name(op) << ' ' << c.b;
    }
}

}  // namespace
}  // namespace tputwin::testing

// Element-wise operations, channel sums and tables.
#include "ops/lanes.h"

namespace tputwin::testing {
namespace {

using Kind = Elementwise::Kind;
using enum DType;

TEST(Numerics, RightShiftRoundsHalfUp) {
  EXPECT_EQ(round_shift(-1, 1), 0);
  EXPECT_EQ(round_shift(-3, 1), -1);
  EXPECT_EQ(round_shift(3, 1), 2);
  EXPECT_EQ(round_shift(-7, 0), -7);
  EXPECT_EQ(round_shift(INT32_MAX, 31), 1);
  EXPECT_EQ(wrap_shift_left(-32768, 20), 0);
  EXPECT_EQ(wrap_shift_left(1, 31), INT32_MIN);
}

struct Case {
  Kind kind;
  DType a_type, b_type, out_type;
  int32_t a, b, old, expected;
  uint32_t lshift = 0, rshift = 0;
};

constexpr Case kCases[] = {
    {Kind::mul, i8, i8, i8, -128, -128, 0, 127},
    {Kind::mul, i8, i8, i16, -128, -128, 0, 16384},
    {Kind::mul, u8, i8, i16, 255, -128, 0, -32640},
    {Kind::mul, u8, u8, u16, 255, 255, 0, 65025},
    {Kind::mul, i8, i8, i8, -3, 1, 0, -1, 0, 1},
    {Kind::mac, i8, i8, i16, 3, 4, 100, 212, 1, 0},
    {Kind::mac, i8, i8, i16, 1, 1, -32768, 1, 20, 0},  // the old value is shifted out
    {Kind::mac, i8, i8, i16, 0, 0, 1, -32768, 31, 0},
    {Kind::mac, i8, i8, i8, 10, 10, 256, 45, 0, 3},  // 356 / 8 = 44.5
    {Kind::mac, u8, u8, u16, 255, 255, 65535, 65535, 0, 0},
    {Kind::add, i16, i16, i16, 32767, 1, 0, 32767},
    {Kind::add, u16, i16, i16, 65535, -32768, 0, 32767},
    {Kind::add, i16, i16, i8, 100, 100, 0, 127},
    {Kind::add, u16, u16, u8, 200, 100, 0, 255},
    {Kind::sub, u16, u16, i16, 0, 65535, 0, -32768},
    {Kind::sub, i16, i16, i8, -100, 100, 0, -128},
    {Kind::max, i8, i8, i8, -1, 1, 0, 1},
    {Kind::max, u8, u8, u8, 255, 1, 0, 255},
    {Kind::min, i8, i8, i8, -1, 1, 0, -1},
    {Kind::shift, i16, i8, i16, 0x4001, 1, 0, -32766},  // left, wraps
    {Kind::shift, i16, i8, i16, 12345, 16, 0, 0},
    {Kind::shift, i16, i8, i16, -3, -1, 0, -2},  // right, floors
    {Kind::shift, i16, i8, i16, -1, -16, 0, -1},
    {Kind::bit_and, u8, i8, u8, 0xf0, -1, 0, 0xf0},
    {Kind::bit_or, i16, u16, u16, 0x0f0f, 0xf000, 0, 0xff0f},
    {Kind::bit_xor, u16, u16, u16, 0xffff, 0x00ff, 0, 0xff00},
    {Kind::copy, i8, i8, i8, -5, 0, 0, -5},
};

struct ElementwiseTest : ::testing::Test, Lanes {
  Elementwise make(const Case& c) {
    const Shape s{2, 33, 1, 3};
    auto view = [&](uint64_t address, DType type) {
      return is_16bit(type) ? wide(address, s, type) : aligned(address, s, type);
    };
    Elementwise op{.kind = c.kind,
                   .out = view(0, c.out_type),
                   .a = view(256, c.a_type),
                   .b = view(512, c.b_type),
                   .b_signed = is_signed(c.b_type),
                   .lshift = c.lshift,
                   .rshift = c.rshift};
    if (c.kind == Kind::mac) op.out.plane_stride = 1024;
    put(op.a, {c.a});
    put(op.b, {c.b});
    put(as_16bit(op.out), {c.old});
    return op;
  }
};

TEST_F(ElementwiseTest, FollowsItsFormulas) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(to_string(c.kind)) + " " + std::to_string(c.a) + ", " +
                 std::to_string(c.b));
    Elementwise op = make(c);
    run(op);
    EXPECT_EQ(get(op.out), Values(op.out.shape.count(), c.expected));
    if (c.kind == Kind::copy) continue;
    op = make(c);
    op.b_is_constant = true;
    op.constant = c.b;
    run(op);
    EXPECT_EQ(get(op.out), Values(op.out.shape.count(), c.expected)) << "constant";
  }
}

TEST_F(ElementwiseTest, EightBitAccumulationLeavesTheHighBytes) {
  Elementwise op = make({Kind::mac, i8, i8, i8, 1, 1, 0x1234, 127});
  run(op);
  EXPECT_EQ(get(op.out)[0], 127);
  EXPECT_EQ(get(as_16bit(op.out))[0], 0x127f);
}

TEST_F(ElementwiseTest, XorWithItselfInPlaceIsZero) {
  TensorView t = aligned(0, {1, 3, 2, 2});
  put(t, {77});
  run(Elementwise{.kind = Kind::bit_xor, .out = t, .a = t, .b = t});
  EXPECT_EQ(get(t), Values(12, 0));
}

TEST_F(ElementwiseTest, ShiftCountsBeyondTheDocumentedRangeAreDefined) {
  Elementwise op = make({Kind::shift, i16, i8, i16, -300, -128, 0, -1});
  run(op);
  EXPECT_EQ(get(op.out)[0], -1);
}

TEST_F(ElementwiseTest, SumOfAChannelSaturatesAndTheWideFormWritesOneByte) {
  Mdsum op{.out = local_tensor(chip, 0, {1, 33, 1, 1}, false, i8),
           .a = aligned(256, {2, 33, 1, 3})};
  put(op.a, {20});
  run(op);
  EXPECT_EQ(get(op.out), Values(33, 120));
  put(op.a, {100});
  run(op);
  EXPECT_EQ(get(op.out), Values(33, 127));
  op.out = as_16bit(op.out);
  op.out.plane_stride = 64;
  put(op.out, {0x5555});
  run(op);
  EXPECT_EQ(get(op.out), Values(33, 0x5558));  // 600 = 0x258
}

TEST_F(ElementwiseTest, TablesBelongToTheLaneOfTheIndex) {
  Lut op{.out = aligned(0, {1, 33, 1, 1}, u8),
         .in = aligned(256, {1, 33, 1, 1}, u8),
         .table = aligned(512, {1, 32, 16, 16}, u8)};
  for (uint32_t lane = 0; lane < 32; ++lane) memory().local.lane(lane)[512 + 200] = lane + 1;
  put(op.in, {200});
  run(op);
  Values expected;
  for (int c = 0; c < 33; ++c) expected.push_back(c % 32 + 1);
  EXPECT_EQ(get(op.out), expected);
}

}  // namespace
}  // namespace tputwin::testing

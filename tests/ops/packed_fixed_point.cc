// Fixed point operations: rounding, saturation, shifts, and the padding elements of a last cell.
#include "ops/packed.h"

namespace tputwin::testing {
namespace {

using Kind = FixedPoint::Kind;
using enum DType;

struct Case {
  Kind kind;
  DType a_type, b_type, out_type;
  int32_t a, b, old, expected;
  uint32_t lshift = 0, rshift = 0;
  DType old_type = i16;
};

constexpr Case kCases[] = {
    // ties are rounded up, negative ones too
    {Kind::add, i8, i8, i8, 2, 3, 0, 3, 0, 1},
    {Kind::add, i8, i8, i8, -2, -3, 0, -2, 0, 1},
    {Kind::mul, i8, i8, i8, -3, 1, 0, -1, 0, 1},
    {Kind::mul, i8, i8, i8, -1, 1, 0, 0, 0, 1},
    {Kind::mul, i8, i8, i8, -1, 1, 0, 0, 0, 31},
    {Kind::mul, u8, u8, u16, 255, 255, 0, 1, 0, 16},
    {Kind::mul, u8, u8, u16, 255, 255, 0, 0, 0, 17},
    // saturation
    {Kind::add, i8, i8, i8, 127, 1, 0, 127},
    {Kind::add, i8, i8, i8, -128, -1, 0, -128},
    {Kind::add, u8, u8, u8, 255, 255, 0, 255},
    {Kind::add, u16, i16, i16, 65535, -32768, 0, 32767},
    {Kind::add, i16, i16, i8, 100, 100, 0, 127},
    {Kind::add, u16, u16, u8, 65535, 65535, 0, 255, 0, 8},
    {Kind::sub, u16, u16, i16, 0, 65535, 0, -32768},
    {Kind::sub, u8, u8, i8, 0, 255, 0, -128},
    {Kind::mul, i8, i8, i8, -128, -128, 0, 127},
    {Kind::mul, i8, i8, i16, -128, -128, 0, 16384},
    {Kind::mul, u8, i8, i16, 255, -128, 0, -32640},
    // the old value is shifted left and has its own type
    {Kind::mac, i8, i8, i16, 3, 4, 100, 212, 1, 0},
    {Kind::mac, i8, i8, i16, 0, 0, -1, -16384, 14, 0},
    {Kind::mac, i8, i8, i16, 0, 0, -1, 4096, 0, 4, u16},  // 65535 / 16, rounded
    {Kind::mac, i8, i8, i16, 0, 0, -1, 0, 0, 4, i16},
    {Kind::mac, u8, u8, u16, 255, 255, 65535, 65535, 14, 0, u16},
    {Kind::mac, u8, u8, u16, 255, 255, 65535, 1, 14, 31, u16},
    {Kind::mac, i8, i8, i16, -128, 127, 32767, 32767, 15, 1},  // more than 32 bits on the way
    {Kind::max, i8, i8, i8, -1, 1, 0, 1},
    {Kind::max, u8, u8, u8, 255, 1, 0, 255},
    {Kind::min, i16, i16, i16, -32768, 32767, 0, -32768},
    {Kind::min, u16, u16, u16, 65535, 32767, 0, 32767},
    // shifts at their limits and beyond
    {Kind::arithmetic_shift, i16, i16, i16, 0x4001, 1, 0, -32766},
    {Kind::arithmetic_shift, i16, i16, i16, 12345, 16, 0, 0},
    {Kind::arithmetic_shift, i16, i16, i16, 12345, 17, 0, 0},
    {Kind::arithmetic_shift, i16, i16, i16, -3, -1, 0, -2},
    {Kind::arithmetic_shift, i16, i16, i16, -3, -16, 0, -1},
    {Kind::arithmetic_shift, i16, i16, i16, 3, -32768, 0, 3},  // only the low byte is used
    {Kind::arithmetic_shift, i16, i16, i16, -3, 255, 0, -2},
    {Kind::arithmetic_shift, i16, i16, i16, -3, 256, 0, -3},
    {Kind::arithmetic_shift, i16, i16, i16, -3, -255, 0, -6},
    {Kind::arithmetic_shift, i16, i16, i16, -3, 128, 0, -1},
    {Kind::logical_shift, u16, i16, u16, 0x8000, -15, 0, 1},
    {Kind::logical_shift, u16, i16, u16, 0xffff, -16, 0, 0},
    {Kind::logical_shift, u16, i16, u16, 0xffff, 15, 0, 0x8000},
    {Kind::logical_shift, u16, i16, u16, 0xffff, 32767, 0, 0x7fff},
    {Kind::logical_shift, u16, i16, u16, 0xffff, 127, 0, 0},
    {Kind::logical_shift, u16, i16, u16, 0xffff, 383, 0, 0},
    {Kind::logical_shift, u16, i16, u16, 0x8001, 257, 0, 2},
    {Kind::bit_and, u8, u8, u8, 0xf0, 0x3c, 0, 0x30},
    {Kind::bit_or, u8, u8, u8, 0xf0, 0x3c, 0, 0xfc},
    {Kind::bit_xor, u8, u8, u8, 0xf0, 0x3c, 0, 0xcc},
    {Kind::bit_and, u16, u16, u16, 0xf00f, 0x3c3c, 0, 0x300c},
    {Kind::bit_or, i16, u16, i16, -0x0ff1, 0x3c3c, 0, -0x03c1},
    {Kind::bit_xor, u16, u16, u16, 0xf00f, 0xffff, 0, 0x0ff0},
};

struct PackedTest : ::testing::Test, PackedLanes {
  FixedPoint make(const Case& c, const Shape& s) const {
    return {.kind = c.kind,
            .out = packed(0, s, c.out_type),
            .a = Source::tensor(packed(8192, s, c.a_type)),
            .b = Source::tensor(packed(16384, s, c.b_type)),
            .a_type = c.a_type,
            .b_type = c.b_type,
            .old_type = c.old_type,
            .lshift = c.lshift,
            .rshift = c.rshift};
  }
};

TEST_F(PackedTest, ComputesEveryKind) {
  const Shape s{5, 66, 1, 3};
  for (const Case& c : kCases)
    for (const KernelChoice kernel_choice : kKernelChoices) {
      const FixedPoint op = make(c, s);
      put(op.a.view, {c.a});
      put(op.b.view, {c.b});
      put(op.out, {c.old});
      if (c.lshift <= 14)
        run(op, kernel_choice);
      else  // a warning
        execute(op, memory(), kernel_choice);
      EXPECT_EQ(get(op.out), Values(s.count(), c.expected))
          << name(op) << ' ' << c.a << ' ' << c.b << " rshift " << c.rshift;
    }
}

TEST_F(PackedTest, ConstantsStandOnEitherSide) {
  const Shape s{3, 2, 1, 2};
  for (const KernelChoice kernel_choice : kKernelChoices) {
    FixedPoint op = make({Kind::sub, i8, i8, i8, 0, 0, 0, 0}, s);
    put(op.a.view, {5});
    put(op.b.view, {5});
    op.b = Source::value(static_cast<uint32_t>(-100));
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), 105));
    op.b = op.a;
    op.a = Source::value(static_cast<uint32_t>(-100));
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), -105));
  }
}

// Elements of the last cell that do not exist.
TEST_F(PackedTest, KeepsBytesOfDummyElements) {
  for (uint32_t n = 1; n <= 8; ++n)
    for (const DType out_type : {i8, i16})
      for (const KernelChoice kernel_choice : kKernelChoices) {
        const Shape s{n, 1, 1, 5};
        FixedPoint op = make({Kind::add, i8, i8, out_type, 0, 0, 0, 0}, s);
        op.out.stride.n = 128;
        TensorView all = op.out;  // whole cells
        all.shape.n = 8;
        put(all, {77});
        put(op.a.view, {1});
        put(op.b.view, {2});
        run(op, kernel_choice);
        Values expected(all.shape.count(), 77);
        std::fill_n(expected.begin(), s.count(), 3);
        EXPECT_EQ(get(all), expected) << n;
      }
}

TEST_F(PackedTest, WorksInPlace) {
  const Shape s{6, 3, 2, 7};
  for (const KernelChoice kernel_choice : kKernelChoices) {
    FixedPoint op = make({Kind::add, i16, i16, i16, 0, 0, 0, 0}, s);
    op.a = Source::tensor(op.out);
    put(op.out, {40});
    put(op.b.view, {2});
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), 42));
  }
}

TEST_F(PackedTest, SplitsBytes) {
  const Shape s{3, 2, 1, 3};
  for (const KernelChoice kernel_choice : kKernelChoices) {
    SplitByte op{.out = packed(0, s, u8), .in = packed(1024, s, u16), .work = {}};
    put(op.in, {0x1ff});
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), 1));
    op.in = packed(1024, whole_cells(s), u16);
    op.work = packed(2048, whole_cells(s), u16);
    put(op.in, {0x1ff});
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), 0xff));
    EXPECT_EQ(get(*op.work), Values(whole_cells(s).count(), 0xff));
  }
}

TEST_F(PackedTest, MultipliesSplitBytes) {
  const Shape s{5, 2, 1, 3};
  for (const KernelChoice kernel_choice : kKernelChoices) {
    Mul16By8 op{.out = packed(0, s, i16),
                .high = packed(2048, s, i8),
                .low = packed(4096, s, u8),
                .b = packed(6144, s, i8),
                .rshift = 3};
    put(op.high, {-2});
    put(op.low, {255});  // -2 * 256 + 255 = -257
    put(op.b, {100});
    run(op, kernel_choice);
    EXPECT_EQ(get(op.out), Values(s.count(), -3212));  // -3212.5, ties rounded up
  }
}

// The operation works on signs and magnitudes: the smallest number never occurs.
TEST_F(PackedTest, MultipliesMagnitudes) {
  const Shape s{5, 2, 1, 3};
  struct {
    int32_t a, b;
    uint32_t rshift;
    int32_t expected, work;
  } cases[] = {{-32768, 255, 0, -32767, 32767},
               {-3, 1, 1, -2, 2},  // ties away from zero
               {3, 1, 1, 2, 0},
               {1000, 200, 31, 0, 0}};
  for (const auto& c : cases)
    for (const KernelChoice kernel_choice : kKernelChoices) {
      const MulS16ByU8 op{.out = packed(0, whole_cells(s), i16),
                          .a = packed(2048, s, i16),
                          .b = packed(4096, s, u8),
                          .work = packed(6144, whole_cells(s), i16),
                          .work_high = packed(8192, s, u8),
                          .work_low = packed(10240, s, u8),
                          .rshift = c.rshift};
      put(op.a, {c.a});
      put(op.b, {c.b});
      put(op.out, {0x1234});
      run(op, kernel_choice);
      const int32_t magnitude = std::min(std::abs(c.a), 32767);
      // then the padding elements of the last cells
      Values out(op.out.shape.count(), 0x34), work = out;
      std::fill_n(out.begin(), s.count(), c.expected);
      std::fill_n(work.begin(), s.count(), c.work);
      EXPECT_EQ(get(op.out), out);
      EXPECT_EQ(get(op.work), work);
      EXPECT_EQ(get(op.work_high), Values(s.count(), magnitude >> 8));
      EXPECT_EQ(get(op.work_low), Values(s.count(), magnitude & 255));
    }
}

}  // namespace
}  // namespace tputwin::testing

// Sums of 16-bit operands and conversions to bytes as residual sums of bmodels have them: all pairs
// of types, also at their limits.
#include <gtest/gtest.h>

#include <random>

#include "differential/same_lanes.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/lanes.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr Shape kShape{2, 70, 5, 37};

// Fills a tensor of 16-bit elements with any numbers, half of them close to a limit.
void fill(TestMemory& memory, const TensorView& view, uint32_t seed) {
  std::mt19937 random(seed);
  constexpr int32_t kLimits[] = {0, 0x7fff, 0x8000, 0xffff};
  const Shape& s = view.shape;
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c)
      for (uint32_t h = 0; h < s.h; ++h)
        for (uint32_t w = 0; w < s.w; ++w) {
          const auto any = static_cast<int32_t>(random());
          const int32_t near = kLimits[random() % 4] + static_cast<int32_t>(random() % 7) - 3;
          memory.memory().write(view, n, c, h, w, random() % 2 != 0 ? any : near);
        }
}

// Returns the name of the kernel that ran, after a comparison of all lanes with the reference.
template <class Op>
std::string kernel_of(const Op& op, TestMemory& before) {
  TestMemory expected(bm1684x()), actual(bm1684x());
  expected.copy_from(before);
  actual.copy_from(before);
  execute(op, expected.memory(), KernelChoice::reference);
  const fast::KernelTrace trace;
  if (!fast::execute(op, actual.memory())) return "";
  expect_same_lanes(actual, expected, bm1684x());
  return trace.events().back().kernel;
}

class ShortSums : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { fast::select_isa(GetParam()); }
  void TearDown() override { fast::select_isa(""); }
};

TEST_P(ShortSums, SaturateLikeTheReference) {
  for (const DType a : {DType::i16, DType::u16})
    for (const DType b : {DType::i16, DType::u16})
      for (const DType out : {DType::i16, DType::i8, DType::u8}) {
        if (!is_signed(a) && !is_signed(b)) continue;
        Lanes lanes(bm1684x());
        IntArithmetic op{.kind = IntArithmetic::Kind::add,
                         .out = lanes.aligned(kShape, out),
                         .a = Source::tensor(lanes.aligned(kShape, a)),
                         .b = Source::tensor(lanes.aligned(kShape, b))};
        op.saturates = true;
        TestMemory before(bm1684x());
        fill(before, op.a.view, 1);
        fill(before, op.b.view, 2);
        const bool is_same = a == out && b == out;
        EXPECT_EQ(kernel_of(op, before), is_same ? "type's own elements" : "sums of 16 bits");
        if (out != DType::i16) continue;
        op.out = op.a.view;  // in place
        op.out.dtype = out;
        EXPECT_EQ(kernel_of(op, before), is_same ? "type's own elements" : "sums of 16 bits");
      }
}

TEST_P(ShortSums, BecomeBytes) {
  for (const DType out : {DType::i8, DType::u8}) {
    Lanes lanes(bm1684x());
    Convert op{.out = lanes.aligned(kShape, out), .in = lanes.aligned(kShape, DType::i16)};
    TestMemory before(bm1684x());
    fill(before, op.in, 3);
    EXPECT_EQ(kernel_of(op, before), "narrow");
    op.out.address = op.in.address;
    EXPECT_NE(kernel_of(op, before), "");
  }
}

// Products of bytes and a constant, shifted with rounding.
TEST_P(ShortSums, ScaleBytes) {
  for (const DType in : {DType::i8, DType::u8})
    for (const DType out : {DType::i16, DType::i8, DType::u8})
      for (const Rounding rounding : {Rounding::half_up, Rounding::half_away, Rounding::down})
        for (const int32_t shift : {-7, 0}) {
          Lanes lanes(bm1684x());
          IntArithmetic op{.kind = IntArithmetic::Kind::mul,
                           .out = lanes.aligned(kShape, out),
                           .a = Source::tensor(lanes.aligned(kShape, in)),
                           .b = Source::value(0x3du, DType::i8)};
          op.shift = Source::value(static_cast<uint32_t>(shift), DType::i8);
          op.rounding = rounding;
          op.saturates = true;
          TestMemory before(bm1684x());
          fill(before, lanes.aligned(kShape, DType::i16), 4);
          for (uint32_t lane = 0; lane < bm1684x().lanes; ++lane)
            for (uint64_t i = 0; i < lanes.end(); ++i)
              before.local().lane(lane)[i] = static_cast<uint8_t>(lane * 31 + i * 7);
          EXPECT_NE(kernel_of(op, before), "");
        }
}

std::vector<std::string> vector_sets() {
  std::vector<std::string> sets;
  for (const std::string& isa : fast::available_isas())
    if (isa != "reference") sets.push_back(isa);
  return sets;
}
INSTANTIATE_TEST_SUITE_P(Every, ShortSums, ::testing::ValuesIn(vector_sets()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ShortSums);

}  // namespace
}  // namespace tputwin::testing

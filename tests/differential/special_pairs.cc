// Random operands contain the pairs of special values that grouped sums must handle, both values in
// one group, also when a seed is repeated.
#include "selftest/special_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "common/rng.h"
#include "numerics/add_tree.h"
#include "ops/conv/weights_bm1684x.h"
#include "selftest/fill_operands.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

using Count = std::array<uint32_t, kPairKinds>;

// Counts the kinds whose two values are both among the elements, or both with the opposite sign.
void count_pairs(std::span<const uint32_t> group, DType type, Count& count) {
  auto holds = [&](uint32_t bits) { return std::ranges::find(group, bits) != group.end(); };
  constexpr uint32_t kSign = 0x8000;
  for (uint32_t kind = 0; kind < kPairKinds; ++kind) {
    const Pair pair = special_pair(static_cast<PairKind>(kind), type);
    count[kind] += (holds(pair.first) && holds(pair.second)) ||
                   (holds(pair.first ^ kSign) && holds(pair.second ^ kSign));
  }
}

// Counts pairs in the left rows and right columns of a product.
void count_pairs(const MatmulBm1684xHalf& op, const Memory& memory, Count& count) {
  auto count_lines = [&](const MatrixOperand& m, uint32_t lines, auto&& element) {
    if (m.is_constant) return;
    for (uint32_t line = 0; line < lines; ++line)
      for (uint32_t first = 0; first < op.left.cols(); first += kAddTreeGroup) {
        std::vector<uint32_t> group;
        for (uint32_t k = first; k < std::min(op.left.cols(), first + kAddTreeGroup); ++k)
          group.push_back(static_cast<uint32_t>(element(line, k)) & 0xffff);
        count_pairs(group, m.dtype(), count);
      }
  };
  count_lines(op.left, op.out.rows(), [&](auto i, auto k) { return op.left.read(memory, i, k); });
  count_lines(op.right, op.out.cols(), [&](auto j, auto k) { return op.right.read(memory, k, j); });
}

// Counts pairs in the input channels of an element, and in the weights that they multiply.
void count_pairs(const Conv2dBm1684xFloat& op, const Memory& memory, Count& count) {
  if (!is_half(op.in.dtype)) return;
  const Shape& in = op.in.shape;
  auto group_at = [&](const TensorView& view, uint32_t n, uint32_t c0, uint32_t h, uint32_t w0,
                      bool by_channel) {
    std::vector<uint32_t> group;
    for (uint32_t k = 0; k < std::min(kAddTreeGroup, in.c - c0); ++k)
      group.push_back(static_cast<uint32_t>(by_channel ? memory.read(view, n, c0 + k, h, w0)
                                                       : memory.read(view, 0, n, h, k)));
    count_pairs(group, op.in.dtype, count);
  };
  for (uint32_t first = 0; first < in.c; first += kAddTreeGroup) {
    for (uint32_t i = 0; i < in.n * in.h * in.w; ++i)
      group_at(op.in, i / (in.h * in.w), first, i / in.w % in.h, i % in.w, /*by_channel=*/true);
    if (op.weight.is_constant) continue;
    for (uint32_t oc = 0; oc < op.out.shape.c; ++oc)
      for (uint32_t tap = 0; tap < taps_of(op.window); ++tap)
        group_at(op.weight.view, oc, first, weight_row(first, tap, op.window, kAddTreeGroup), 0,
                 /*by_channel=*/false);
  }
}

template <class Op>
void expect_every_pair(OperationKind kind) {
  const RandomCases cases(240);
  const Chip& chip = chip_of(kind);
  TestMemory storage(chip);
  Count count{};
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    Rng rng = cases.rng(index);
    const Operation operation = random_operation(rng, kind, chip);
    fill_operands(rng, operation, chip, storage.memory());
    count_pairs(std::get<Op>(operation), storage.memory(), count);
  }
  if (cases.count < 200) return;  // few cases in a rerun
  for (uint32_t i = 0; i < kPairKinds; ++i) EXPECT_GE(count[i], 4u) << "pair kind " << i;
}

TEST(SpecialPairs, MeetInGroupsOfMatrixProducts) {
  expect_every_pair<MatmulBm1684xHalf>(OperationKind::matmul_bm1684x_half);
}

TEST(SpecialPairs, MeetInGroupsOfConvolutions) {
  expect_every_pair<Conv2dBm1684xFloat>(OperationKind::conv2d_bm1684x_float);
}

TEST(SpecialPairs, AreTheSameForASeed) {
  for (OperationKind kind :
       {OperationKind::matmul_bm1684x_half, OperationKind::conv2d_bm1684x_float,
        OperationKind::float_arithmetic_bm1684x}) {
    TestMemory first(chip_of(kind)), second(chip_of(kind));
    for (uint64_t seed = 0; seed < 20; ++seed)
      for (TestMemory* storage : {&first, &second}) {
        Rng rng(seed);
        const Operation operation = random_operation(rng, kind);
        fill_operands(rng, operation, chip_of(kind), storage->memory());
      }
    const auto a = first.local_bytes(), b = second.local_bytes();
    EXPECT_TRUE(std::ranges::equal(a, b)) << to_string(kind);
  }
}

}  // namespace
}  // namespace tputwin::testing

// Tiles of fp32 sums in chains, of every size and instruction set, compared with plain loops: few
// and many terms, in one order and alternating between two, and every start and end of a sum.
#include <gtest/gtest.h>

#include <vector>

#include "common/rng.h"
#include "numerics/float32.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::test {
namespace {

using fast::Chains;
using fast::kTilePitch;
using testing::RandomCases;
using testing::Rng;

std::vector<float> numbers(Rng& rng, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = (static_cast<float>(rng.below(8000)) - 4000) / 1024;
    if (rng.chance(1, 40)) value = rng.pick({0.0f, -0.0f, 1e18f, -3e-38f});
  }
  return values;
}

struct Case {
  uint32_t rows, vectors;
  Chains chains;
  std::vector<uint32_t> offset;
  std::vector<float> left, right, row_bias, column_bias, addends;
  fast::TileBuffers starts;
  bool has_starts;

  Case(Rng& rng, const fast::TileKernels& kernels)
      : rows(rng.range(1, kernels.rows)),
        vectors(rng.range(1, kernels.chain_vectors(rows))),
        has_starts(rng.chance(1, 3)) {
    // around the numbers of terms that are added in twos, and that prefetch others
    const auto few_or_many = [&] {
      return rng.pick({rng.range(0, 24), rng.range(0, 24), rng.range(55, 75), rng.range(100, 400)});
    };
    uint32_t terms = 0;
    if (rng.coin()) {
      terms = 2 * few_or_many() + rng.range(0, 1);
      chains = Chains::alternating(terms, nullptr);
    } else {
      chains.count = 4;
      for (uint32_t chain = 0; chain < 4; ++chain) {
        chains.begin[chain] = terms;
        chains.end[chain] = terms += few_or_many();
      }
    }
    constexpr uint32_t kPositions = 5000;
    for (uint32_t i = 0; i < terms; ++i) offset.push_back(rng.range(0, kPositions - 1));
    chains.right_offset = offset.data();
    left = numbers(rng, size_t{terms} * rows + 1);
    right = numbers(rng, kPositions + kTilePitch);
    row_bias = numbers(rng, rng.below(2) * rows);
    column_bias = numbers(rng, rng.below(2) * kTilePitch);
    addends = numbers(rng, rng.below(2) * rows * kTilePitch);
    for (uint32_t* sums : {starts.sums, starts.second})
      for (uint32_t i = 0; i < rows * kTilePitch; ++i)
        sums[i] = f32::bits(static_cast<float>(rng.below(19)) - 9);
  }

  fast::ChainEnds ends() const {
    const auto if_any = [](const std::vector<float>& v) { return v.empty() ? nullptr : v.data(); };
    fast::ChainEnds ends{.row_bias = if_any(row_bias),
                         .column_bias = if_any(column_bias),
                         .addends = if_any(addends)};
    if (has_starts) ends.starts = {starts.as_floats(), starts.second_as_floats()};
    return ends;
  }

  float expected(uint32_t row, uint32_t column) const {
    const size_t at = size_t{row} * kTilePitch + column;
    float halves[2] = {};
    for (uint32_t chain = 0; chain < chains.count; ++chain) {
      const float* start = chain < 2 ? ends().starts[chain] : nullptr;
      float sum = start == nullptr ? 0.0f : start[at];
      for (uint32_t t = chains.begin[chain]; t < chains.end[chain]; t += chains.step)
        sum = f32::add(sum, f32::mul(right[offset[t] + column], left[size_t{t} * rows + row]));
      halves[chain / 2] = chain % 2 == 0 ? sum : f32::add(halves[chain / 2], sum);
    }
    float sum = chains.count > 2 ? f32::add(halves[0], halves[1]) : halves[0];
    if (!row_bias.empty()) sum = f32::add(sum, row_bias[row]);
    if (!column_bias.empty()) sum = f32::add(sum, column_bias[column]);
    return addends.empty() ? sum : f32::add(sum, addends[at]);
  }
};

class ChainTiles : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fast::select_isa(GetParam()));
    if (!fast::vectors_enabled()) GTEST_SKIP() << "no vectors";
  }
  void TearDown() override { fast::select_isa(""); }
};

TEST_P(ChainTiles, AddTermsInTheOrderOfTheChip) {
  const fast::TileKernels kernels = fast::tile_kernels();
  const RandomCases cases(200);
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    const Case c(rng, kernels);
    fast::TileBuffers buffers = c.starts;
    const ScopedFloatMode mode;
    kernels.chains({.left = reinterpret_cast<const uint32_t*>(c.left.data()),
                    .right = reinterpret_cast<const uint32_t*>(c.right.data()),
                    .rows = c.rows,
                    .vectors = c.vectors,
                    .sums = buffers.sums},
                   c.chains, c.ends());
    for (uint32_t row = 0; row < c.rows; ++row)
      for (uint32_t column = 0; column < c.vectors * kernels.vector_elements; ++column)
        ASSERT_EQ(buffers.row(row)[column], f32::bits(c.expected(row, column)))
            << "row " << row << " column " << column << " of " << c.rows << "x" << c.vectors;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ChainTiles,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::test

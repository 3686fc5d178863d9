// Tiles of fp32 sums in chains. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_CHAINS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_CHAINS_INL_H
#undef TPUTWIN_FAST_CHAINS_INL_H
#else
#define TPUTWIN_FAST_CHAINS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/vec/float32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// A product of fp32 takes a register of its own. With 16 registers, two vectors of sums leave one
// for it.
constexpr size_t kRows = kTileRows, kVectors = kRows == 4 ? 2 : kTileVectors;
static_assert(kRows <= kMaxTileRows && kVectors * kElements32 <= kTilePitch);
// Tiles of at most kFewRows rows have kWideVectors vectors, because fewer rows leave registers for
// them.
constexpr size_t kFewRows = kRows / 2, kWideVectors = 4;
static_assert(kWideVectors * kElements32 <= kTilePitch);
// Tiles of three vectors have up to kRowsOfThree rows.
constexpr size_t kRowsOfThree = kVectors == 3 ? kRows : kFewRows;

// Tiles prefetch the columns of the term kColumnsAhead terms ahead, if these fit in one cache line
// and there are at least kFewTerms terms. The terms of planes are so far apart that processors do
// not prefetch them.
constexpr size_t kColumnsAhead = 9, kFewTerms = 60;
constexpr bool kPrefetchesColumns = kVectors * kElements32 * sizeof(float) <= 64;

template <size_t kV>
HWY_INLINE void LoadColumns(const float* column, Floats (&to)[kV]) {
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) to[v] = hn::LoadU(F32(), column + v * kElements32);
}
template <size_t kV>
HWY_INLINE void PrefetchColumns(const float* column) {
  __builtin_prefetch(column);
  __builtin_prefetch(column + kV * kElements32 - 1);
}

// Adds a term's products to the sums.
template <size_t kR, size_t kV>
HWY_INLINE void AddTerm(const Floats (&columns)[kV], const float* row, Floats (&sums)[kR][kV]) {
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r) {
    const Floats factor = hn::Set(F32(), row[r]);
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) sums[r][v] = hn::Add(sums[r][v], multiply(columns[v], factor));
  }
}

// Adds the terms of a chain from `term` on, two at a time. `next` holds the columns of `term`.
// Stops at the last few terms and leaves `term`, `row` and `next` at the first of them.
template <bool kPrefetches, size_t kR, size_t kV>
HWY_INLINE void AddTermsInTwos(const float* right, const Chains& chains, size_t end, size_t& term,
                               const float*& row, Floats (&next)[kV], Floats (&sums)[kR][kV]) {
  const uint32_t* const offset = chains.right_offset;
  const size_t step = chains.step, ahead = kPrefetches ? kColumnsAhead * step : step;
  for (; term + step + ahead < end; term += 2 * step, row += 2 * step * kR) {
    Floats second[kV];
    if (kPrefetches) PrefetchColumns<kV>(right + offset[term + ahead]);
    LoadColumns(right + offset[term + step], second);
    AddTerm(next, row, sums);
    if (kPrefetches) PrefetchColumns<kV>(right + offset[term + step + ahead]);
    LoadColumns(right + offset[term + 2 * step], next);
    AddTerm(second, row + step * kR, sums);
  }
}

// Computes one chain of every result. Even chains are written to `at`, odd ones added to it.
template <size_t kR, size_t kV>
HWY_INLINE void SumChain(const Tile& tile, const Chains& chains, size_t chain, const float* start,
                         float* at) {
  const F32 d;
  Floats sums[kR][kV];
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      sums[r][v] =
          start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + r * kTilePitch + v * kElements32);
  const size_t step = chains.step, begin = chains.begin[chain], end = chains.end[chain];
  const float* row = as_floats(tile.left) + begin * kR;
  // The columns of a term are loaded while the previous term is multiplied, because loads that do
  // not begin at a cache line take longer.
  const float* const right = as_floats(tile.right);
  const uint32_t* const offset = chains.right_offset;
  Floats next[kV];
  LoadColumns(begin < end ? right + offset[begin] : right, next);
  size_t term = begin;
  if constexpr (kPrefetchesColumns) {
    const bool prefetches = end - begin >= kFewTerms * step;
    prefetches ? AddTermsInTwos<true>(right, chains, end, term, row, next, sums)
               : AddTermsInTwos<false>(right, chains, end, term, row, next, sums);
  }
  for (; term < end; term += step, row += step * kR) {
    Floats columns[kV];
    std::copy_n(next, kV, columns);
    if (term + step < end) LoadColumns(right + offset[term + step], next);
    AddTerm(columns, row, sums);
  }
  const bool onto = chain % 2 != 0;
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      float* to = at + r * kTilePitch + v * kElements32;
      hn::StoreU(onto ? hn::Add(hn::LoadU(d, to), sums[r][v]) : sums[r][v], d, to);
    }
}

// Adds `second`, the sum of chains 2 and 3, then the biases and addends. Returns true if a result
// is NaN.
template <size_t kR, size_t kV>
HWY_INLINE bool FinishChains(float* sums, const ChainEnds& ends, const float* second) {
  const F32 d;
  Floats nan = hn::Zero(d);
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      const size_t at = r * kTilePitch + v * kElements32;
      Floats sum = hn::LoadU(d, sums + at);
      if (second != nullptr) sum = hn::Add(sum, hn::LoadU(d, second + at));
      if (ends.row_bias != nullptr) sum = hn::Add(sum, hn::Set(d, ends.row_bias[r]));
      if (ends.column_bias != nullptr)
        sum = hn::Add(sum, hn::LoadU(d, ends.column_bias + v * kElements32));
      if (ends.addends != nullptr) sum = hn::Add(sum, hn::LoadU(d, ends.addends + at));
      hn::StoreU(sum, d, sums + at);
      nan = hn::Or(nan, nan_elements(sum));
    }
  return any_set(nan);
}

template <size_t kR, size_t kV>
bool ChainTile(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  float* const sums = as_floats(tile.sums);
  float second[kR * kTilePitch];
  for (size_t chain = 0; chain < chains.count; ++chain)
    SumChain<kR, kV>(tile, chains, chain, chain < 2 ? ends.starts[chain] : nullptr,
                     chain < 2 ? sums : second);
  return FinishChains<kR, kV>(sums, ends, chains.count > 2 ? second : nullptr);
}

// Runs tiles of 1 to kR rows.
template <size_t kV, size_t kR = kRows>
bool ChainRows(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  if constexpr (kR > 1)
    if (tile.rows < kR) return ChainRows<kV, kR - 1>(tile, chains, ends);
  return ChainTile<kR, kV>(tile, chains, ends);
}

bool SumChains(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  switch (tile.vectors) {
    case 1:
      return ChainRows<1>(tile, chains, ends);
    case 2:
      return ChainRows<2>(tile, chains, ends);
    case 3:
      return ChainRows<3, kRowsOfThree>(tile, chains, ends);
    default:
      return ChainRows<kWideVectors, kFewRows>(tile, chains, ends);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

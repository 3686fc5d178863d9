// Products of pairs of factors with rows of pairs, for convolutions that use a weight once.
// Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_PAIR_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_PAIR_ROWS_INL_H
#undef TPUTWIN_FAST_PAIR_ROWS_INL_H
#else
#define TPUTWIN_FAST_PAIR_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/float32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR
// Sums kV vectors of columns from `column` on.
template <size_t kV>
HWY_INLINE void SumPairVectors(const PairRows& rows, size_t column, float* even, float* odd) {
  const F32 d;
  const hn::Repartition<uint64_t, F32> pairs;
  Floats sums[2][kV];
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) sums[0][v] = sums[1][v] = hn::Zero(d);
  const uint8_t* row = rows.right + column * sizeof(float);
  const auto add = [&](Floats(&to)[kV], uint64_t pair) HWY_ATTR {
    const Floats factors = hn::BitCast(d, hn::Set(pairs, pair));
    const auto* from = reinterpret_cast<const float*>(row);
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      to[v] = hn::Add(to[v], multiply(hn::LoadU(d, from + v * kElements32), factors));
    row += rows.pitch;
  };
  size_t i = 0;
  for (; i + 2 <= rows.count; i += 2) {
    add(sums[0], rows.left[i]);
    add(sums[1], rows.left[i + 1]);
  }
  if (i < rows.count) add(sums[0], rows.left[i]);
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) {
    hn::StoreU(sums[0][v], d, even + column + v * kElements32);
    hn::StoreU(sums[1][v], d, odd + column + v * kElements32);
  }
}

void SumPairRows(const PairRows& rows, size_t columns, float* even, float* odd) {
  constexpr size_t kV = 4;
  size_t column = 0;
  for (; column + kV * kElements32 <= columns; column += kV * kElements32)
    SumPairVectors<kV>(rows, column, even, odd);
  for (; column + 2 * kElements32 <= columns; column += 2 * kElements32)
    SumPairVectors<2>(rows, column, even, odd);
  for (; column < columns; column += kElements32) SumPairVectors<1>(rows, column, even, odd);
}
#endif

HWY_INLINE decltype(TileKernels::pair_rows) PairRowsKernel() {
#if HWY_TARGET != HWY_SCALAR
  return &SumPairRows;
#else
  return nullptr;  // vectors of one element hold no pair
#endif
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

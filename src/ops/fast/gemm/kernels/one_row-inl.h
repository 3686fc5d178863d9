// One row times columns of bytes that are read in place. Products with many rows pack these
// columns. Here they are used once and joined in registers. Included once per target (see Highway's
// foreach_target.h).
#if defined(TPUTWIN_FAST_ONE_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ONE_ROW_INL_H
#undef TPUTWIN_FAST_ONE_ROW_INL_H
#else
#define TPUTWIN_FAST_ONE_ROW_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

#if TPUTWIN_HAVE_BYTE_STEPS

using Bytes8 = hn::Repartition<uint8_t, I32>;
using Pairs16 = hn::Repartition<uint16_t, I32>;
constexpr size_t kRowBytes = sizeof(uint32_t) * kElements32;  // columns of a vector of bytes
constexpr size_t kInCell = 4, kBlockElements = 4;             // blocks of 128 bits

// Joins four rows of bytes to four vectors of cells. Vector i has the columns of every block of 128
// bits from 4 * i on.
template <bool kInHalves>
HWY_INLINE void JoinInBlocks(const uint8_t* const* rows, ptrdiff_t column, ptrdiff_t to_half,
                             Ints mask, Ints* cells) {
  const Bytes8 d8;
  const Pairs16 d16;
  const auto load = [&](size_t e) HWY_ATTR {
    if constexpr (!kInHalves) return hn::LoadU(d8, rows[e] + column);
    const hn::Half<Bytes8> half;
    return hn::Combine(d8, hn::LoadU(half, rows[e] + to_half), hn::LoadU(half, rows[e]));
  };
  const auto a = load(0), b = load(1), c = load(2), d = load(3);
  const auto pairs = [&](auto x) HWY_ATTR { return hn::BitCast(d16, x); };
  const auto low_ab = pairs(hn::InterleaveLower(d8, a, b));
  const auto low_cd = pairs(hn::InterleaveLower(d8, c, d));
  const auto high_ab = pairs(hn::InterleaveUpper(d8, a, b));
  const auto high_cd = pairs(hn::InterleaveUpper(d8, c, d));
  cells[0] = hn::BitCast(I32(), hn::InterleaveLower(d16, low_ab, low_cd));
  cells[1] = hn::BitCast(I32(), hn::InterleaveUpper(d16, low_ab, low_cd));
  cells[2] = hn::BitCast(I32(), hn::InterleaveLower(d16, high_ab, high_cd));
  cells[3] = hn::BitCast(I32(), hn::InterleaveUpper(d16, high_ab, high_cd));
  for (size_t i = 0; i < kInCell; ++i) cells[i] = hn::Xor(cells[i], mask);
}

template <class Dot, size_t kV, bool kInHalves = false>
HWY_NOINLINE void RowVectors(const ByteRow& row, ptrdiff_t column, uint32_t* to) {
  // cells; processors do not predict the next row
  constexpr size_t kCellsAhead = 4;
  const I32 d;
  const Ints mask = ints(static_cast<int32_t>(row.mask));
  Ints sums[kV][kInCell];
  for (auto& of_vector : sums)
    for (Ints& sum : of_vector) sum = hn::Zero(d);
  for (size_t cell = 0; cell < row.cells; ++cell) {
    const uint8_t* const* rows = row.right + cell * kInCell;
    const Ints left = ints(static_cast<int32_t>(row.left[cell]));
    const size_t ahead = cell + kCellsAhead < row.cells ? kCellsAhead * kInCell : 0;
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      const ptrdiff_t at = column + static_cast<ptrdiff_t>(v * kRowBytes);
      for (size_t e = 0; e < kInCell; ++e) __builtin_prefetch(rows[e + ahead] + at);
      for (size_t e = 0; kInHalves && e < kInCell; ++e)
        __builtin_prefetch(rows[e + ahead] + row.to_half);
      Ints cells[kInCell];
      JoinInBlocks<kInHalves>(rows, at, row.to_half, mask, cells);
#pragma GCC unroll 4
      for (size_t i = 0; i < kInCell; ++i) sums[v][i] = Dot::step(sums[v][i], cells[i], left);
    }
  }
  HWY_ALIGN int32_t elements[kElements32];
  for (size_t v = 0; v < kV; ++v)
    for (size_t i = 0; i < kInCell; ++i) {
      hn::Store(sums[v][i], d, elements);
      for (size_t element = 0; element < kElements32; ++element) {
        const size_t block = element / kBlockElements;
        to[v * kRowBytes + (block * kInCell + i) * kBlockElements + element % kBlockElements] =
            static_cast<uint32_t>(elements[element]);
      }
    }
}

// Computes `count` contiguous columns from column `from` on.
template <class Dot>
void RunOfColumns(const ByteRow& row, ptrdiff_t from, size_t count, uint32_t* to) {
  constexpr size_t kV = kTileRows / 2;  // 16 of 32 registers are sums, or 8 of 16
  size_t column = 0;
  const auto at = [&] { return from + static_cast<ptrdiff_t>(column); };
  for (; column + (kV - 1) * kRowBytes < count; column += kV * kRowBytes)
    RowVectors<Dot, kV>(row, at(), to + column);
  for (; column < count; column += kRowBytes) RowVectors<Dot, 1>(row, at(), to + column);
}

template <class Dot>
void RowOf(const ByteRow& row, size_t count, uint32_t* to) {
  if (row.to_half == 0) return RunOfColumns<Dot>(row, 0, count, to);
  if constexpr (kRowBytes == 2 * ByteRow::kHalf) return RowVectors<Dot, 1, true>(row, 0, to);
  static_assert(2 * ByteRow::kHalf % kRowBytes == 0);
  RunOfColumns<Dot>(row, 0, ByteRow::kHalf, to);
  RunOfColumns<Dot>(row, row.to_half, ByteRow::kHalf, to + ByteRow::kHalf);
}

void RowOfBytes(const ByteRow& row, size_t count, uint32_t* to) {
  row.signed_left ? RowOf<SignedWeightsDot>(row, count, to)
                  : RowOf<UnsignedWeightsDot>(row, count, to);
}
#endif

HWY_INLINE decltype(TileKernels::row_of_bytes) RowKernel() {
#if TPUTWIN_HAVE_BYTE_STEPS
  return &RowOfBytes;
#else
  return nullptr;
#endif
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

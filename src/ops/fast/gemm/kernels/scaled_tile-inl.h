// Tiles of dot products whose sums become bytes in registers, for one Highway target (include in a
// foreach_target file, after hwy/highway.h).
#if defined(TPUTWIN_FAST_SCALED_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_SCALED_TILE_INL_H
#undef TPUTWIN_FAST_SCALED_TILE_INL_H
#else
#define TPUTWIN_FAST_SCALED_TILE_INL_H
#endif

#include <hwy/highway.h>

#include "ops/fast/gemm/kernels/dot_bytes-inl.h"
#include "ops/fast/gemm/kernels/row_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Converts a block of sums to bytes, and writes the sums that are kept. Not inlined, so that
// callers keep no vectors and no copies of the arguments.
HWY_NOINLINE void EmitBlock(const SumBlock& block, const RowScales& scales, const ByteRows& to) {
  if (to.sums != nullptr) copy_sums(block, scales, to);
  SameScaling(scales.scales[0]).with_rounding([&]<Rounding kRounding>() HWY_ATTR {
    BlockToBytes<kRounding>(block, scales, to);
  });
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
// Computes the sums of a tile and converts them to bytes while they are in registers. If a sum is
// in doubt (Approximate), writes all sums to `sums` and returns false; the bytes may then be wrong.
template <class Dot, size_t kVectors>
HWY_NOINLINE bool scaled_tile(const Reduction& r, size_t position, const RowScales& scales,
                              const ByteRows& to, int32_t* HWY_RESTRICT sums) {
  Ints sum[kTileRows][kVectors];
  dot_sums<Dot>(r, position, sum);
  const KeptColumns kept(position, kVectors, to);
  if (to.sums != nullptr) {
    const KeptWords words(kept);
#pragma GCC unroll 8
    for (size_t row = 0; row < kTileRows; ++row)
      if (row < to.rows && to.sums[row] != nullptr)
        words.store<kVectors>(sum[row], StartOf(scales, row),
                              to.sums[row] + kept.before * sizeof(int32_t));
  }
  const RowPacker pack(scales, kept);
  __m512 rest = _mm512_setzero_ps();
#pragma GCC unroll 8
  for (size_t row = 0; row < kTileRows; ++row) {
    if (row >= to.rows) break;
    __m512i x[3] = {};
    rest = Approximate<kVectors>(sum[row], scales, row, rest, x);
    pack.store(x, to.to[row] + kept.before);
  }
  if (HWY_LIKELY(!is_in_doubt(rest))) return true;
  store_sums(sum, sums);
  return false;
}

// Tiles for dot_blocks() that convert their sums, unless these are in doubt.
template <class Dot>
struct ScaledTiles {
  const RowScales& scales;
  const ByteRows& to;

  template <size_t kVectors>
  HWY_INLINE bool run(const Reduction& r, size_t position, int32_t* HWY_RESTRICT sums) const {
    if (!scales.is_approximated) return PlainTiles<Dot>().template run<kVectors>(r, position, sums);
    return !scaled_tile<Dot, kVectors>(r, position, scales, to, sums);
  }
};
#else
template <class Dot>
struct ScaledTiles : PlainTiles<Dot> {
  ScaledTiles(const RowScales&, const ByteRows&) {}
};
#endif

// Computes dot products of bytes of columns [0, columns), and converts them to bytes.
HWY_INLINE void scaled_blocks(bool signed_weights, const Reduction& r, size_t columns,
                              const RowScales& scales, const ByteRows& to) {
  const auto emit = [&](size_t position, size_t vectors, const int32_t* sums) HWY_ATTR {
    EmitBlock({position, vectors, sums}, scales, to);
  };
  dot_byte_blocks<ScaledTiles>(signed_weights, r, 0, columns, emit, scales, to);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// Converts int32 sums of a tile's rows to bytes, for one Highway target (include in a
// foreach_target file, after hwy/highway.h).
#if defined(TPUTWIN_FAST_ROW_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ROW_BYTES_INL_H
#undef TPUTWIN_FAST_ROW_BYTES_INL_H
#else
#define TPUTWIN_FAST_ROW_BYTES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/scaling-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// A block of sums from column `position` of a tile on, as dot_blocks() passes it.
struct SumBlock {
  size_t position, vectors;
  const int32_t* sums;

  const int32_t* row(size_t r) const { return sums + r * vectors * kElements32; }
};

HWY_INLINE Ints StartOf(const RowScales& scales, size_t row) {
  return ints(static_cast<int32_t>(scales.starts[row]));
}

// The columns of a block that are kept, and the number of kept columns before the block.
struct KeptColumns {
  uint64_t bits;
  size_t before;

  KeptColumns(size_t position, size_t vectors, const ByteRows& to)
      : bits(to.kept >> position & low_bits(vectors * kElements32)),
        before(static_cast<size_t>(std::popcount(to.kept & low_bits(position)))) {}
  size_t count() const { return static_cast<size_t>(std::popcount(bits)); }

  static uint64_t low_bits(size_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  }
};

// Copies the kept columns of a row, run by run.
template <class T>
void copy_kept(const T* from, uint64_t kept, uint8_t* to) {
  while (kept != 0) {
    const int skipped = std::countr_zero(kept);
    const auto count = static_cast<size_t>(std::countr_one(kept >> skipped));
    std::memcpy(to, from + skipped, count * sizeof(T));
    to += count * sizeof(T);
    from += static_cast<size_t>(skipped) + count;
    kept = static_cast<size_t>(skipped) + count >= 64 ? 0 : kept >> skipped >> count;
  }
}

// Writes the sums of a block to to.sums.
inline void copy_sums(const SumBlock& block, const RowScales& scales, const ByteRows& to) {
  const KeptColumns kept(block.position, block.vectors, to);
  for (size_t row = 0; row < to.rows; ++row) {
    if (to.sums[row] == nullptr) continue;
    HWY_ALIGN int32_t sums[kTilePitch];
    for (size_t v = 0; v < block.vectors; ++v)
      hn::Store(hn::Add(hn::Load(I32(), block.row(row) + v * kElements32), StartOf(scales, row)),
                I32(), sums + v * kElements32);
    copy_kept(sums, kept.bits, to.sums[row] + kept.before * sizeof *sums);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
// Stores the kept columns of three vectors at most.
class KeptWords {
 public:
  HWY_INLINE KeptWords(const KeptColumns& kept) : kept_(kept.bits) {}

  template <size_t kVectors>
  HWY_INLINE void store(const Ints* sums, Ints start, uint8_t* to) const {
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) {
      const auto kept = static_cast<__mmask16>(kept_ >> v * kElements32);
      const auto count = static_cast<size_t>(std::popcount(uint32_t{kept}));
      const auto stored = static_cast<__mmask16>(KeptColumns::low_bits(count));
      __m512i sum = _mm512_add_epi32(sums[v].raw, start.raw);
      if (kept != stored) sum = _mm512_maskz_compress_epi32(kept, sum);
      _mm512_mask_storeu_epi32(to, stored, sum);
      to += count * sizeof(int32_t);
    }
  }

 private:
  uint64_t kept_;
};

// Converts the sums of a row without 64-bit products. Let t = sum * multiplier / 2^right. fp32
// finds x = t * (1 + e), |e| < 3 * 2^-24. A byte depends on t only while |t| <= 512
// (is_approximated), and there x is less than 2^-13 from t. So x and t round to the same whole
// number, unless x is that close to a tie: 100.4999 is in doubt, 100.49 is not. Returns the largest
// of `rest` and the distances from whole numbers.
template <size_t kVectors>
HWY_INLINE __m512 Approximate(const Ints* sums, const RowScales& scales, size_t row, __m512 rest,
                              __m512i (&out)[3]) {
  constexpr int kRest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  constexpr int kLargestMagnitude = 0x0b;
  const __m512 factor = _mm512_set1_ps(scales.factors[row]);
  const __m512i start = StartOf(scales, row).raw;
  const __m512i offset = _mm512_set1_epi32(scales.scales[row].offset);
#pragma GCC unroll 3
  for (size_t v = 0; v < kVectors; ++v) {
    const __m512i sum = _mm512_add_epi32(sums[v].raw, start);
    const __m512 x = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), factor);
    rest = _mm512_range_ps(rest, _mm512_reduce_ps(x, kRest), kLargestMagnitude);
    out[v] = _mm512_add_epi32(_mm512_cvtps_epi32(x), offset);
  }
  return rest;
}

// Returns true if a sum with one of these distances is in doubt.
HWY_INLINE bool is_in_doubt(__m512 rest) {
  return _mm512_cmp_ps_mask(rest, _mm512_set1_ps(0.5f - 0x1p-13f), _CMP_GE_OQ) != 0;
}

// Stores the kept bytes of a row.
class RowPacker {
 public:
  HWY_INLINE RowPacker(const RowScales& scales, const KeptColumns& kept)
      : kept_(kept.bits),
        stored_(KeptColumns::low_bits(kept.count())),
        is_unsigned_(scales.scales[0].low == 0) {}

  // `x` are up to three vectors of numbers. They are limited to the range of a byte.
  HWY_INLINE void store(const __m512i (&x)[3], uint8_t* to) const {
    // The bytes of three vectors, from each quarter of which packing takes four.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i low = _mm512_packs_epi32(x[0], x[1]), high = _mm512_packs_epi32(x[2], x[2]);
    const __m512i packed =
        is_unsigned_ ? _mm512_packus_epi16(low, high) : _mm512_packs_epi16(low, high);
    __m512i bytes = _mm512_permutexvar_epi32(order, packed);
    if (kept_ != stored_) bytes = _mm512_maskz_compress_epi8(kept_, bytes);
    _mm512_mask_storeu_epi8(to, stored_, bytes);
  }

 private:
  const __mmask64 kept_, stored_;
  const bool is_unsigned_;
};

template <Rounding kRounding, size_t kVectors>
HWY_INLINE void RowsToBytes(const SumBlock& block, const RowScales& scales, const ByteRows& to) {
  const KeptColumns kept(block.position, kVectors, to);
  const RowPacker pack(scales, kept);
  for (size_t row = 0; row < to.rows; ++row) {
    Ints sums[kVectors];
    for (size_t v = 0; v < kVectors; ++v)
      sums[v] = hn::Load(I32(), block.row(row) + v * kElements32);
    __m512i x[3] = {};
    if (!scales.is_approximated || HWY_UNLIKELY(is_in_doubt(Approximate<kVectors>(
                                       sums, scales, row, _mm512_setzero_ps(), x)))) {
      const SameScaling exact(scales.scales[row]);
      for (size_t v = 0; v < kVectors; ++v)
        x[v] = exact.scaled<kRounding>(hn::Add(sums[v], StartOf(scales, row))).raw;
    }
    pack.store(x, to.to[row] + kept.before);
  }
}

template <Rounding kRounding>
HWY_INLINE void BlockToBytes(const SumBlock& block, const RowScales& scales, const ByteRows& to) {
  if (block.vectors == 3) return RowsToBytes<kRounding, 3>(block, scales, to);
  if (block.vectors == 2) return RowsToBytes<kRounding, 2>(block, scales, to);
  RowsToBytes<kRounding, 1>(block, scales, to);
}
#else
template <Rounding kRounding>
HWY_INLINE void BlockToBytes(const SumBlock& block, const RowScales& scales, const ByteRows& to) {
  const I32 d;
  const KeptColumns kept(block.position, block.vectors, to);
  for (size_t row = 0; row < to.rows; ++row) {
    const SameScaling same(scales.scales[row]);
    const Ints start = StartOf(scales, row);
    HWY_ALIGN uint8_t bytes[kTilePitch];  // as many as `kept` has bits
    for (size_t v = 0; v < block.vectors; ++v) {
      const Ints sum = hn::Add(hn::Load(d, block.row(row) + v * kElements32), start);
      hn::StoreU(LowBits<uint8_t>(d, same.scaled<kRounding>(sum)), hn::Rebind<uint8_t, I32>(),
                 bytes + v * kElements32);
    }
    copy_kept(bytes, kept.bits, to.to[row] + kept.before);
  }
}
#endif

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

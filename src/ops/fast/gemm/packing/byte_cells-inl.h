// Joins bytes to the uint32 cells that dot products read, for one Highway target.
#if defined(TPUTWIN_FAST_BYTE_CELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTE_CELLS_INL_H
#undef TPUTWIN_FAST_BYTE_CELLS_INL_H
#else
#define TPUTWIN_FAST_BYTE_CELLS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/fast/gemm/kernels/dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

// kElements is the number of elements of the reduction in a cell: 4 bytes if the processor
// multiplies bytes, otherwise 2 int16.
constexpr size_t kElements = TPUTWIN_HAVE_BYTE_STEPS ? 4 : WordDot::kElements;

// A product of bytes needs one unsigned and one signed factor, or two of the same signedness. An
// xor with 0x80 shifts the data by 128 and gives them the signedness that the weights need. The
// sums are then corrected by the sums of the weights.
struct Flip {
  uint32_t mask = 0;  // xor mask for cells of data
  // factor of the sum of the weights, added to the sum
  int32_t correction = 0;

  Flip(bool signed_data, bool signed_weights) {
#if TPUTWIN_HAVE_BYTE_STEPS
    if ((signed_data == signed_weights) == kDataAsWeights) return;
    mask = 0x80808080u;
    correction = signed_data ? -128 : 128;
#else
    static_cast<void>(signed_data), static_cast<void>(signed_weights);
#endif
  }
};

#if !TPUTWIN_HAVE_BYTE_STEPS
// kJoined is the number of bytes that join_columns() reads of each row.
constexpr size_t kJoined = kElements32;

// Returns one cell for each of kElements32 columns. A cell joins the bytes of two rows, widened to
// 16 bits.
HWY_INLINE Ints join_columns(const uint8_t* const* row, size_t x, bool is_signed,
                             uint32_t /*flip*/) {
  const I32 d;
  auto load = [&](const uint8_t* p) HWY_ATTR {
    const hn::Rebind<uint8_t, I32> unsigned_bytes;
    const hn::Rebind<int8_t, I32> signed_bytes;
    return is_signed ? hn::PromoteTo(d, hn::LoadU(signed_bytes, reinterpret_cast<const int8_t*>(p)))
                     : hn::PromoteTo(d, hn::LoadU(unsigned_bytes, p));
  };
  return hn::Or(hn::And(load(row[0] + x), hn::Set(d, 0xffff)), hn::ShiftLeft<16>(load(row[1] + x)));
}

#else
constexpr size_t kJoined = 16;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
// Returns the cells of four rows of bytes. Joins them by one permutation of all bytes.
HWY_INLINE Ints join_four_rows(const uint8_t* const* row, size_t x) {
  alignas(64) static constexpr uint8_t kInterleave[64] = {
      0,  16, 32, 48, 1,  17, 33, 49, 2,  18, 34, 50, 3,  19, 35, 51, 4,  20, 36, 52, 5,  21,
      37, 53, 6,  22, 38, 54, 7,  23, 39, 55, 8,  24, 40, 56, 9,  25, 41, 57, 10, 26, 42, 58,
      11, 27, 43, 59, 12, 28, 44, 60, 13, 29, 45, 61, 14, 30, 46, 62, 15, 31, 47, 63};
  auto load = [](const uint8_t* p)
                  HWY_ATTR { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  __m512i bytes = _mm512_castsi128_si512(load(row[0] + x));
  bytes = _mm512_inserti32x4(bytes, load(row[1] + x), 1);
  bytes = _mm512_inserti32x4(bytes, load(row[2] + x), 2);
  bytes = _mm512_inserti32x4(bytes, load(row[3] + x), 3);
  return Ints{_mm512_permutexvar_epi8(_mm512_load_si512(kInterleave), bytes)};
}
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Returns the cells of four rows of bytes. The target cannot permute bytes across a vector, so
// pairs of rows are interleaved, then pairs of pairs.
HWY_INLINE Ints join_four_rows(const uint8_t* const* row, size_t x) {
  auto load = [](const uint8_t* p)
                  HWY_ATTR { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  const __m128i a = load(row[0] + x), b = load(row[1] + x), c = load(row[2] + x),
                e = load(row[3] + x);
  const __m128i ab = _mm_unpacklo_epi8(a, b), ab_high = _mm_unpackhi_epi8(a, b);
  const __m128i ce = _mm_unpacklo_epi8(c, e), ce_high = _mm_unpackhi_epi8(c, e);
  __m512i bytes = _mm512_castsi128_si512(_mm_unpacklo_epi16(ab, ce));
  bytes = _mm512_inserti32x4(bytes, _mm_unpackhi_epi16(ab, ce), 1);
  bytes = _mm512_inserti32x4(bytes, _mm_unpacklo_epi16(ab_high, ce_high), 2);
  return Ints{_mm512_inserti32x4(bytes, _mm_unpackhi_epi16(ab_high, ce_high), 3)};
}
#else
// Returns the cells of four rows of bytes. Interleaves pairs of rows, then pairs of pairs.
HWY_INLINE Ints join_four_rows(const uint8_t* const* row, size_t x) {
  const hn::CappedTag<uint8_t, kJoined> d8;
  const hn::Repartition<uint16_t, decltype(d8)> d16;
  const hn::Repartition<int32_t, decltype(d8)> d32;
  const auto pair = [&](size_t e) HWY_ATTR {
    return hn::BitCast(
        d16, hn::InterleaveLower(d8, hn::LoadU(d8, row[e] + x), hn::LoadU(d8, row[e + 1] + x)));
  };
  const auto ab = pair(0), ce = pair(2);
  const auto low = hn::BitCast(d32, hn::InterleaveLower(d16, ab, ce));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return hn::Combine(I32(), hn::BitCast(d32, hn::InterleaveUpper(d16, ab, ce)), low);
#else
  return low;
#endif
}
#endif

// Returns one cell for each of kElements32 columns. A cell joins the bytes of four rows. Reads
// kJoined bytes of each row.
HWY_INLINE Ints join_columns(const uint8_t* const* row, size_t x, bool /*is_signed*/,
                             uint32_t flip) {
  return hn::Xor(join_four_rows(row, x), hn::Set(I32(), static_cast<int32_t>(flip)));
}
#endif

// Joins `count` consecutive columns. Reads kJoined bytes of each row at a time, and writes whole
// vectors.
inline void join_run(const uint8_t* const* row, size_t count, bool is_signed, uint32_t flip,
                     uint32_t* to) {
  size_t x = 0;
#if TPUTWIN_HAVE_BYTE_STEPS && HWY_TARGET > HWY_AVX3
  // Four vectors of bytes, one of each row, become four vectors of cells.
  const hn::ScalableTag<uint8_t> d8;
  const auto mask = hn::Set(d8, static_cast<uint8_t>(flip));
  const auto load = [&](size_t e) HWY_ATTR { return hn::Xor(hn::LoadU(d8, row[e] + x), mask); };
  for (; x + hn::MaxLanes(d8) <= count; x += hn::MaxLanes(d8))
    hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d8,
                          reinterpret_cast<uint8_t*>(to + x));
#endif
  for (; x < count; x += kElements32)
    hn::StoreU(join_columns(row, x, is_signed, flip), I32(), reinterpret_cast<int32_t*>(to + x));
}

// Joins columns like join_run(), but writes nothing after the last column.
inline void join_run_exactly(const uint8_t* const* row, size_t count, bool is_signed, uint32_t flip,
                             uint32_t* to) {
  const size_t whole = count / kElements32 * kElements32;
  if (whole != 0) join_run(row, whole, is_signed, flip, to);
  if (whole == count) return;
  alignas(64) int32_t joined[kElements32];
  hn::Store(join_columns(row, whole, is_signed, flip), I32(), joined);
  std::memcpy(to + whole, joined, (count - whole) * sizeof *to);
}

// Joins `count` (at most kElements) consecutive bytes to one cell, with zeros after them.
HWY_INLINE uint32_t join_bytes(const uint8_t* from, size_t count, bool is_signed) {
  uint32_t cell = 0;
  if (kElements == 4 && count >= 4) {
    std::memcpy(&cell, from, 4);
    return cell;
  }
  for (size_t e = 0; e < std::min(count, kElements); ++e) {
    uint32_t value =
        kElements == 2 && is_signed ? static_cast<uint16_t>(static_cast<int8_t>(from[e])) : from[e];
    cell |= value << (32 / kElements * e);
  }
  return cell;
}

#if TPUTWIN_HAVE_BYTE_STEPS
// Interleaves kInterleaved cells of each of kTileRows rows: to[i * pitch + row] = cell i of the
// row.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr size_t kInterleaved = 16;
inline void interleave_rows(const uint8_t* const* row, size_t offset, uint32_t* to, size_t pitch) {
  static_assert(kTileRows == 8 && kElements32 == 16);
  // quad[0] has the rows 0 to 3, and quad[1] the rows 4 to 7. Block b of quad[half][k] has cell 4 *
  // b + k of each row.
  __m512i quad[2][4];
  for (size_t half = 0; half < 2; ++half) {
    __m512i r[4];
    for (size_t i = 0; i < 4; ++i) r[i] = _mm512_loadu_si512(row[4 * half + i] + offset);
    __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpacklo_epi32(r[2], r[3]);
    __m512i c = _mm512_unpackhi_epi32(r[0], r[1]), e = _mm512_unpackhi_epi32(r[2], r[3]);
    quad[half][0] = _mm512_unpacklo_epi64(a, b);
    quad[half][1] = _mm512_unpackhi_epi64(a, b);
    quad[half][2] = _mm512_unpacklo_epi64(c, e);
    quad[half][3] = _mm512_unpackhi_epi64(c, e);
  }
  const __m512i low_blocks = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i high_blocks = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (size_t k = 0; k < 4; ++k) {
    __m512i low = _mm512_permutex2var_epi64(quad[0][k], low_blocks, quad[1][k]);
    __m512i high = _mm512_permutex2var_epi64(quad[0][k], high_blocks, quad[1][k]);
    auto store = [&](size_t i, __m256i v) HWY_ATTR {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * pitch), v);
    };
    store(k, _mm512_castsi512_si256(low));
    store(4 + k, _mm512_extracti64x4_epi64(low, 1));
    store(8 + k, _mm512_castsi512_si256(high));
    store(12 + k, _mm512_extracti64x4_epi64(high, 1));
  }
}
#else
constexpr size_t kInterleaved = 4;
inline void interleave_rows(const uint8_t* const* row, size_t offset, uint32_t* to, size_t pitch) {
  const hn::CappedTag<uint32_t, kInterleaved> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  for (size_t first = 0; first < kTileRows; first += kInterleaved) {
    const auto load = [&](size_t i) HWY_ATTR {
      return hn::LoadU(d, reinterpret_cast<const uint32_t*>(row[first + i] + offset));
    };
    const auto a = load(0), b = load(1), c = load(2), e = load(3);
    const auto store = [&](size_t i, auto pair, auto other) HWY_ATTR {
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, pair, other)), d, to + i * pitch + first);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, pair, other)), d,
                 to + (i + 1) * pitch + first);
    };
    const auto wide = [&](auto v) HWY_ATTR { return hn::BitCast(d64, v); };
    store(0, wide(hn::InterleaveLower(d, a, b)), wide(hn::InterleaveLower(d, c, e)));
    store(2, wide(hn::InterleaveUpper(d, a, b)), wide(hn::InterleaveUpper(d, c, e)));
  }
}
#endif
#endif

// Sums the bytes of each of kTileRows rows of packed weights. The number of cells must be a
// multiple of 16. The sums are 0 where products of bytes are not used, because nothing needs them
// there.
inline void sum_weights([[maybe_unused]] const uint32_t* weights, [[maybe_unused]] size_t cells,
                        [[maybe_unused]] bool is_signed, int32_t* sums) {
  std::fill_n(sums, kTileRows, 0);
#if TPUTWIN_HAVE_BYTE_STEPS
  constexpr size_t kUnit = std::max(kTileRows, kElements32);  // cells: whole vectors of whole rows
  static_assert(16 % kUnit == 0 && kUnit % kTileRows == 0);
  const I32 d;
  const Ints ones = hn::Set(d, 0x01010101);
  HWY_ALIGN int32_t elements[kUnit];
  for (size_t first = 0; first < kUnit; first += kElements32) {
    Ints total = hn::Zero(d);
    for (size_t i = first; i < cells; i += kUnit) {
      const Ints w = hn::LoadU(d, reinterpret_cast<const int32_t*>(weights + i));
      total = is_signed ? SignedWeightsDot::step(total, ones, w)
                        : UnsignedWeightsDot::step(total, ones, w);
    }
    hn::Store(total, d, elements + first);
  }
  for (size_t i = 0; i < kUnit; ++i) sums[i % kTileRows] += elements[i];
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif

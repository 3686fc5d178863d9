// Blocks of a transpose: rounds of a butterfly and, where vectors are cache lines, blocks that
// touch every line of both sides once. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_TRANSPOSE_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_TRANSPOSE_LINES_INL_H
#undef TPUTWIN_FAST_TRANSPOSE_LINES_INL_H
#else
#define TPUTWIN_FAST_TRANSPOSE_LINES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Returns the address `bytes` bytes after p.
template <class T>
HWY_INLINE T* Skip(T* p, size_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const uint8_t, uint8_t>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(p) + bytes);
}

#if HWY_TARGET != HWY_SCALAR
// kTile is the number of elements in a row of a tile.
template <class T>
constexpr size_t kTile = 16 / sizeof(T);

// One round of a butterfly that transposes tiles of T, one tile in every 128 bits. Interleaves rows
// i and i + kTile / 2.
template <class D, class V, size_t kRows>
HWY_INLINE void InterleaveRound(D d, const V (&rows)[kRows], V (&next)[kRows]) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kRows / 2; ++i) {
    next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kRows / 2]);
    next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kRows / 2]);
  }
}
#endif

#if HWY_TARGET != HWY_SCALAR
// kLine is the number of elements in a cache line.
template <class T>
constexpr size_t kLine = 64 / sizeof(T);

// The starts of the rows of a block: one stride apart, or at any addresses.
struct Strided {
  uint8_t* first;
  size_t stride;
  HWY_INLINE uint8_t* operator[](size_t i) const { return first + i * stride; }
};
struct Listed {
  uint8_t* const* rows;
  size_t offset;
  HWY_INLINE uint8_t* operator[](size_t i) const { return rows[i] + offset; }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
HWY_INLINE __m512i LoadLine(const void* from) { return _mm512_loadu_si512(from); }

// Exchanges blocks of 128 bits between rows i, i + kTile, ... of one cache line each. A vector then
// has one block of every row, or two neighbouring blocks if there are only two rows.
template <class T, size_t kBlocks, class Rows>
HWY_INLINE void GatherBlocks(const Rows& src, size_t i, __m512i (&to)[kBlocks]) {
  __m512i rows[kBlocks];
#pragma GCC unroll 4
  for (size_t b = 0; b < kBlocks; ++b) rows[b] = LoadLine(src[i + b * kTile<T>]);
  if constexpr (kBlocks == 2) {
    to[0] =
        _mm512_permutex2var_epi64(rows[0], _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), rows[1]);
    to[1] =
        _mm512_permutex2var_epi64(rows[0], _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), rows[1]);
  } else {
    const __m512i low01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0x88);
    const __m512i low23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0x88);
    const __m512i high01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0xdd);
    const __m512i high23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0xdd);
    to[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
    to[1] = _mm512_shuffle_i32x4(high01, high23, 0x88);
    to[2] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
    to[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
  }
}

// Transposes a cache line of columns and kBlocks tiles of rows: element r of dst[c] becomes element
// c of src[r]. Every line of both sides is touched once, as a whole (with two blocks, half a line
// of dst).
template <class T, size_t kBlocks, class To, class From>
HWY_INLINE void TransposeLines(const To& dst, const From& src) {
  const hn::ScalableTag<T> d;
  constexpr size_t kRows = kTile<T>;
  __m512i blocks[kBlocks][kRows];
#pragma GCC unroll 16
  for (size_t i = 0; i < kRows; ++i) {
    __m512i gathered[kBlocks];
    GatherBlocks<T>(src, i, gathered);
#pragma GCC unroll 4
    for (size_t b = 0; b < kBlocks; ++b) blocks[b][i] = gathered[b];
  }
#pragma GCC unroll 4
  for (size_t b = 0; b < kBlocks; ++b) {
    hn::VFromD<decltype(d)> a[kRows], z[kRows];
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) a[i].raw = blocks[b][i];
    InterleaveRound(d, a, z);
    InterleaveRound(d, z, a);
    if constexpr (kRows >= 8) InterleaveRound(d, a, z);
    if constexpr (kRows == 16) InterleaveRound(d, z, a);
    const auto& columns = kRows == 8 ? z : a;
    const size_t to = b * (4 / kBlocks) * kRows;
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) {
      if constexpr (kBlocks == 4) {
        _mm512_storeu_si512(dst[to + i], columns[i].raw);
      } else {
        auto* const first = reinterpret_cast<__m256i*>(dst[to + i]);
        auto* const second = reinterpret_cast<__m256i*>(dst[to + kRows + i]);
        _mm256_storeu_si256(first, _mm512_castsi512_si256(columns[i].raw));
        _mm256_storeu_si256(second, _mm512_extracti64x4_epi64(columns[i].raw, 1));
      }
    }
  }
}

// Does the work of TransposeLines() for bytes. A vector loads its blocks one by one, because whole
// lines would need shuffles and twice the registers that exist.
template <class Rows>
HWY_INLINE void TransposeByteLines(const Rows& dst, const Rows& src) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kRows = kTile<uint8_t>;
#pragma GCC unroll 1
  for (size_t b = 0; b < 4; ++b) {
    const auto block = [&](size_t row) HWY_ATTR {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src[row]) + b);
    };
    hn::VFromD<decltype(d)> rows[kRows], next[kRows];
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) {
      __m512i row = _mm512_castsi128_si512(block(i));
      row = _mm512_inserti32x4(row, block(i + kRows), 1);
      row = _mm512_inserti32x4(row, block(i + 2 * kRows), 2);
      rows[i].raw = _mm512_inserti32x4(row, block(i + 3 * kRows), 3);
    }
    for (int round = 0; round < 4; round += 2)
      InterleaveRound(d, rows, next), InterleaveRound(d, next, rows);
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) _mm512_storeu_si512(dst[b * kRows + i], rows[i].raw);
  }
}

template <class T, class Rows>
HWY_INLINE void TransposeWide(const Rows& dst, const Rows& src) {
  if constexpr (sizeof(T) == 1)
    TransposeByteLines(dst, src);
  else
    TransposeLines<T, 4>(dst, src);
}
#else
// Transposes one tile of columns and some tiles of rows: element r of dst[c] becomes element c of
// src[r]. The columns begin at byte `column` of the rows of src. There are as many tiles of rows as
// a vector has blocks of 128 bits. Vectors are loaded block by block.
template <class T, class To, class From>
HWY_INLINE void TransposeTile(const To& dst, size_t first_row, const From& src, size_t column) {
  const hn::CappedTag<T, 2 * kTile<T> > d;
  const hn::CappedTag<T, kTile<T> > block;
  constexpr size_t kRows = kTile<T>;
  const auto load = [&](size_t row) HWY_ATTR {
    return hn::LoadU(block, reinterpret_cast<const T*>(src[first_row + row] + column));
  };
  hn::VFromD<decltype(d)> a[kRows], b[kRows];
#pragma GCC unroll 16
  for (size_t i = 0; i < kRows; ++i) {
    if constexpr (hn::MaxLanes(d) == kRows)
      a[i] = load(i);
    else
      a[i] = hn::Combine(d, load(i + kRows), load(i));
  }
  InterleaveRound(d, a, b);
  InterleaveRound(d, b, a);
  if constexpr (kRows >= 8) InterleaveRound(d, a, b);
  if constexpr (kRows == 16) InterleaveRound(d, b, a);
  const auto& columns = kRows == 8 ? b : a;
#pragma GCC unroll 16
  for (size_t i = 0; i < kRows; ++i)
    hn::StoreU(columns[i], d, reinterpret_cast<T*>(dst[column / sizeof(T) + i]) + first_row);
}

// Transposes a cache line of columns and kBlocks tiles of rows.
template <class T, size_t kBlocks, class To, class From>
HWY_INLINE void TransposeLines(const To& dst, const From& src) {
  constexpr size_t kStep = hn::MaxLanes(hn::CappedTag<T, 2 * kTile<T> >());
#pragma GCC unroll 1
  for (size_t column = 0; column < 64; column += 16)
#pragma GCC unroll 1
    for (size_t row = 0; row < kBlocks * kTile<T>; row += kStep)
      TransposeTile<T>(dst, row, src, column);
}

template <class T, class Rows>
HWY_INLINE void TransposeWide(const Rows& dst, const Rows& src) {
  TransposeLines<T, 4>(dst, src);
}
#endif

// Prefetches lines of 64 rows of bytes, more than any processor prefetches by itself.
template <bool kIsWritten>
HWY_INLINE void PrefetchLines(const void* first, size_t stride) {
  // rows begin anywhere in a line, and the line before was used
  constexpr size_t kLast = 63;
  for (size_t i = 0; i < 64; ++i)
    __builtin_prefetch(static_cast<const uint8_t*>(first) + i * stride + kLast, kIsWritten);
}
#endif

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

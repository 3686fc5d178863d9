// Transposes in square tiles with rows of 16 bytes. As many tiles are transposed at once as a
// vector has blocks of 128 bits.
#include "ops/fast/walk/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/walk/transpose.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/transpose_lines-inl.h"

#ifndef TPUTWIN_TRANSPOSE_EXTENTS  // once for all targets
#define TPUTWIN_TRANSPOSE_EXTENTS
namespace tputwin::fast {
// Holds the number of rows of src, and the number of its columns, which are the rows of dst.
struct Extents {
  size_t rows, cols;
};
}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Transposes tiles: dst(c, r) = src(r, c) for one vector of each row of a tile. Strides are in
// bytes.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void TransposeTiles(D d, T* dst, size_t dst_stride, const T* src, size_t src_stride) {
  constexpr size_t kElements = hn::MaxLanes(D()), kRows = kTile<T>;
  hn::Vec<D> a[kRows], b[kRows];
  // Prefetches rows, because processors prefetch along fewer rows than a tile has.
  for (size_t r = 0; r < kRows; ++r) __builtin_prefetch(Skip(src, r * src_stride) + 2 * kElements);
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) a[r] = hn::LoadU(d, Skip(src, r * src_stride));
  HWY_ALIGN T columns[kRows][kElements];
  const auto store = [&](const hn::Vec<D>(&rows)[kRows]) HWY_ATTR {
#pragma GCC unroll 16
    for (size_t i = 0; i < kRows; ++i) hn::Store(rows[i], d, columns[i]);
  };
  InterleaveRound(d, a, b);
  InterleaveRound(d, b, a);
  if constexpr (kRows >= 8) InterleaveRound(d, a, b);
  if constexpr (kRows == 16) InterleaveRound(d, b, a);
  if constexpr (kRows == 8)
    store(b);
  else
    store(a);
  for (size_t tile = 0; tile < kElements; tile += kRows)
    for (size_t i = 0; i < kRows; ++i)
      std::memcpy(Skip(dst, (tile + i) * dst_stride), columns[i] + tile, 16);
}

// Transposes columns from `begin` to `cols`, as many as fill whole vectors of D. `rows` must be a
// multiple of kTile<T>. Returns the first column that is not done.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE size_t TransposeStrips(D d, T* dst, size_t dst_stride, const T* src, size_t src_stride,
                                  size_t rows, size_t begin, size_t cols) {
  for (; begin + hn::Lanes(d) <= cols; begin += hn::Lanes(d))
    for (size_t r = 0; r < rows; r += kTile<T>)
      TransposeTiles(d, Skip(dst, begin * dst_stride) + r, dst_stride,
                     Skip(src, r * src_stride) + begin, src_stride);
  return begin;
}
#endif

// True if a vector is a cache line.
constexpr bool kHasLines = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;

// Transposes all whole cache lines of columns, for as many rows as fill vectors. Returns the
// numbers of rows and columns that are done.
template <class T>
HWY_INLINE Extents TransposeWholeLines(T* dst, size_t dst_stride, const T* src, size_t src_stride,
                                       size_t rows, size_t cols) {
#if HWY_TARGET != HWY_SCALAR
  if (!kHasLines && sizeof(T) == 1) return {};  // strips along rows are faster
  const Extents done{rows / (2 * kTile<T>)*(2 * kTile<T>), cols / kLine<T> * kLine<T>};
  for (size_t c = 0; c < done.cols; c += kLine<T>)
    for (size_t r = 0; r < done.rows;) {
      const Strided to{reinterpret_cast<uint8_t*>(Skip(dst, c * dst_stride) + r), dst_stride};
      const Strided from{reinterpret_cast<uint8_t*>(const_cast<T*>(Skip(src, r * src_stride) + c)),
                         src_stride};
      const bool is_wide = done.rows - r >= kLine<T>;
      if (sizeof(T) == 1 && done.rows > kLine<T>) {
        const bool is_last = r + kLine<T> >= done.rows;
        PrefetchLines<false>(
            is_last ? src + c + kLine<T> : Skip(src, (r + kLine<T>)*src_stride) + c, src_stride);
        PrefetchLines<true>(is_last ? Skip(dst, (c + kLine<T>)*dst_stride)
                                    : Skip(dst, c * dst_stride) + r + kLine<T>,
                            dst_stride);
      }
      is_wide ? TransposeWide<T>(to, from) : TransposeLines<T, 2>(to, from);
      r += is_wide ? kLine<T> : kLine<T> / 2;
    }
  return done;
#else
  static_cast<void>(dst), static_cast<void>(dst_stride), static_cast<void>(src);
  static_cast<void>(src_stride), static_cast<void>(rows), static_cast<void>(cols);
  return {};
#endif
}

// Transposes rows x cols elements: dst(c, r) = src(r, c).
template <class T>
HWY_INLINE void TransposeRest(T* dst, size_t dst_stride, const T* src, size_t src_stride,
                              size_t rows, size_t cols) {
  size_t tiled_rows = 0, tiled_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  tiled_rows = rows / kTile<T> * kTile<T>;
  const auto strips = [&](auto d) HWY_ATTR {
    tiled_cols = TransposeStrips(d, dst, dst_stride, src, src_stride, tiled_rows, tiled_cols, cols);
  };
  strips(hn::ScalableTag<T>());
  strips(hn::CappedTag<T, 2 * kTile<T>>());
  strips(hn::CappedTag<T, kTile<T>>());
#endif
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = r < tiled_rows ? tiled_cols : 0; c < cols; ++c)
      std::memcpy(Skip(dst, c * dst_stride) + r, Skip(src, r * src_stride) + c, sizeof(T));
}

template <class T>
HWY_INLINE void Transpose(T* dst, size_t dst_stride, const T* src, size_t src_stride, size_t rows,
                          size_t cols) {
  const Extents done = TransposeWholeLines(dst, dst_stride, src, src_stride, rows, cols);
  TransposeRest(Skip(dst, done.cols * dst_stride), dst_stride, src + done.cols, src_stride,
                done.rows, cols - done.cols);
  TransposeRest(dst + done.rows, dst_stride, Skip(src, done.rows * src_stride), src_stride,
                rows - done.rows, cols);
}

constexpr size_t kNearBytes = 1 << 20;

// Transposes whole cache lines of both sides: element r of dst[c] becomes element c of src[r].
// Returns the rows of src and of dst that are done.
template <class T>
HWY_INLINE Extents TransposeListed(uint8_t* const* dst, uint8_t* const* src, const Extents& from,
                                   const Extents& to) {
#if HWY_TARGET != HWY_SCALAR
  // Bytes that do not fit in a near cache are faster through a buffer.
  if (!kHasLines && sizeof(T) == 1 && to.rows * (to.cols - from.cols) > kNearBytes) return from;
  // Rows of src that are processed together, one cache line after the other. A few rows of dst then
  // get several consecutive lines before other rows, each in a page of its own. If a line is
  // several vectors, there are fewer rows, and two lines of each.
  constexpr size_t kTogether = kHasLines ? 256 : 128, kLines = kHasLines ? 1 : 2;
  constexpr size_t kBlock = kLine<T>;
  const Extents last{to.rows / kBlock * kBlock, to.cols - (to.cols - from.cols) % kBlock};
  for (size_t first = from.rows; first < last.rows; first += kTogether)
    for (size_t column = from.cols; column < last.cols; column += kLines * kBlock)
      for (size_t r = first; r < std::min(first + kTogether, last.rows); r += kBlock)
        for (size_t c = column; c < std::min(column + kLines * kBlock, last.cols); c += kBlock)
          TransposeWide<T>(Listed{dst + c, r * sizeof(T)}, Listed{src + r, c * sizeof(T)});
  return last;
#else
  static_cast<void>(dst), static_cast<void>(src), static_cast<void>(to);
  return from;
#endif
}

// Calls TransposeListed() for elements of `bytes` bytes.
Extents TransposeBlocks(size_t bytes, uint8_t* const* dst, uint8_t* const* src, const Extents& from,
                        const Extents& to) {
  if (bytes == 4) return TransposeListed<uint32_t>(dst, src, from, to);
  if (bytes == 2) return TransposeListed<uint16_t>(dst, src, from, to);
  return TransposeListed<uint8_t>(dst, src, from, to);
}

void TransposeOf(size_t bytes, uint8_t* dst, size_t dst_stride, const uint8_t* src,
                 size_t src_stride, size_t rows, size_t cols) {
  const auto run = [&]<class T>(T) HWY_ATTR {
    Transpose(reinterpret_cast<T*>(dst), dst_stride, reinterpret_cast<const T*>(src), src_stride,
              rows, cols);
  };
  if (bytes == 4)
    run(uint32_t{});
  else if (bytes == 2)
    run(uint16_t{});
  else
    run(uint8_t{});
}

void StoreTransposedLines(uint8_t* const* dst, const uint8_t* src, size_t src_stride, size_t step,
                          size_t count) {
  constexpr size_t kRows = 8, kBytes = kRows * sizeof(uint32_t);
  for (size_t i = 0; i < count; ++i, src += step) {
#if HWY_TARGET != HWY_SCALAR
    TransposeLines<uint32_t, 2>(Listed{dst, i * kBytes},
                                Strided{const_cast<uint8_t*>(src), src_stride});
#else
    alignas(64) uint32_t columns[kInt32OfLine][kRows];
    transpose(sizeof(uint32_t), reinterpret_cast<uint8_t*>(columns), kBytes, src, src_stride, kRows,
              kInt32OfLine);
    for (size_t c = 0; c < kInt32OfLine; ++c) std::memcpy(dst[c] + i * kBytes, columns[c], kBytes);
#endif
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(TransposeOf);
HWY_EXPORT(TransposeBlocks);
HWY_EXPORT(StoreTransposedLines);

void transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols) {
  transpose(1, dst, dst_stride, src, src_stride, rows, cols);
}

void transpose(size_t bytes, uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride,
               size_t rows, size_t cols) {
  HWY_DYNAMIC_DISPATCH(TransposeOf)(bytes, dst, dst_stride, src, src_stride, rows, cols);
}

void transpose_lines(std::span<uint8_t* const, kInt32OfLine> dst, const uint8_t* src,
                     size_t src_stride, size_t step, size_t count) {
  HWY_DYNAMIC_DISPATCH(StoreTransposedLines)(dst.data(), src, src_stride, step, count);
}

bool equally_far(std::span<uint8_t* const> rows) {
  for (size_t i = 2; i < rows.size(); ++i)
    if (rows[i] - rows[i - 1] != rows[1] - rows[0]) return false;
  return rows.size() > 1 && rows[1] > rows[0];
}

namespace {

// kTileBytes is the size of the buffers of transpose_tiles(). Rows at arbitrary addresses are
// transposed in long pieces, through buffers, because the cache lines of many lanes would evict
// each other.
constexpr size_t kTileBytes = 16 << 10;

// Returns the number of elements in a row of a square tile.
constexpr size_t tile_of(size_t bytes) { return bytes == 1 ? 128 : 64; }

// Transposes `width` columns from `column` on: dst(c, r) = src(r, c).
void transpose_tile(size_t bytes, uint8_t* dst, size_t dst_stride, std::span<uint8_t* const> src,
                    size_t column, size_t width) {
  if (equally_far(src))
    return transpose(bytes, dst, dst_stride, src[0] + column * bytes,
                     static_cast<size_t>(src[1] - src[0]), src.size(), width);
  alignas(64) uint8_t rows[kTileBytes];
  const size_t stride = tile_of(bytes) * bytes;
  for (size_t i = 0; i < src.size(); ++i)
    copy_bytes(rows + i * stride, src[i] + column * bytes, width * bytes);
  transpose(bytes, dst, dst_stride, rows, stride, src.size(), width);
}

// Transposes tile by tile: the rows of src from `first_row` on, and its columns [first, last).
void transpose_tiles(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                     size_t first_row, size_t first, size_t last) {
  const size_t tile = tile_of(bytes), stride = tile * bytes;
  alignas(64) uint8_t columns[kTileBytes];
  for (size_t c = first; c < last; c += tile) {
    const size_t width = std::min(tile, last - c);
    for (size_t r = first_row; r < src.size(); r += tile) {
      const auto rows = src.subspan(r, std::min(tile, src.size() - r));
      transpose_tile(bytes, columns, stride, rows, c, width);
      for (size_t i = 0; i < width; ++i)
        copy_bytes(dst[c + i] + r * bytes, columns + i * stride, rows.size() * bytes);
    }
  }
}

}  // namespace

void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last) {
  Extents done{0, first};
  done = HWY_DYNAMIC_DISPATCH(TransposeBlocks)(bytes, dst.data(), src.data(), done,
                                               {src.size(), last});
  transpose_tiles(bytes, dst, src, done.rows, first, done.cols);
  transpose_tiles(bytes, dst, src, 0, done.cols, last);
}

}  // namespace tputwin::fast
#endif

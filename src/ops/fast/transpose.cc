// Transposes in tiles of 16 x 16 bytes, as many at once as a vector has blocks of 128 bits.
#include "ops/fast/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/transpose.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
constexpr size_t kTile = 16;

// One of the four rounds of a butterfly that transposes tiles of 16 x 16 bytes, one in every 128
// bits: interleaves rows i and i + 8.
template <class D, class V>
HWY_INLINE void InterleaveRound(D d, const V (&rows)[kTile], V (&next)[kTile]) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kTile / 2; ++i) {
    next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kTile / 2]);
    next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kTile / 2]);
  }
}

// dst(c, r) = src(r, c) for 16 rows of one vector each.
template <class D>
HWY_INLINE void TransposeTiles(D d, uint8_t* dst, size_t dst_stride, const uint8_t* src,
                               size_t src_stride) {
  constexpr size_t kBytes = hn::MaxLanes(D());
  hn::Vec<D> a[kTile], b[kTile];
  // so many rows are more streams than a processor foresees
  for (size_t r = 0; r < kTile; ++r) __builtin_prefetch(src + r * src_stride + 2 * kBytes);
#pragma GCC unroll 16
  for (size_t r = 0; r < kTile; ++r) a[r] = hn::LoadU(d, src + r * src_stride);
  InterleaveRound(d, a, b);
  InterleaveRound(d, b, a);
  InterleaveRound(d, a, b);
  InterleaveRound(d, b, a);
  HWY_ALIGN uint8_t columns[kTile][kBytes];
#pragma GCC unroll 16
  for (size_t i = 0; i < kTile; ++i) hn::Store(a[i], d, columns[i]);
  for (size_t tile = 0; tile < kBytes; tile += kTile)
    for (size_t i = 0; i < kTile; ++i)
      std::memcpy(dst + (tile + i) * dst_stride, columns[i] + tile, kTile);
}

// As many whole vectors of D as fit, for `rows` rows in tiles; returns the columns done.
template <class D>
HWY_INLINE size_t TransposeStrips(D d, uint8_t* dst, size_t dst_stride, const uint8_t* src,
                                  size_t src_stride, size_t rows, size_t begin, size_t cols) {
  for (; begin + hn::Lanes(d) <= cols; begin += hn::Lanes(d))
    for (size_t r = 0; r < rows; r += kTile)
      TransposeTiles(d, dst + begin * dst_stride + r, dst_stride, src + r * src_stride + begin,
                     src_stride);
  return begin;
}
#endif

// dst(c, r) = src(r, c) for rows x cols bytes.
void Transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols) {
  size_t tiled_rows = 0, tiled_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  tiled_rows = rows / kTile * kTile;
  const auto strips = [&](auto d) HWY_ATTR {
    tiled_cols = TransposeStrips(d, dst, dst_stride, src, src_stride, tiled_rows, tiled_cols, cols);
  };
  strips(hn::ScalableTag<uint8_t>());
  strips(hn::CappedTag<uint8_t, 32>());
  strips(hn::CappedTag<uint8_t, 16>());
#endif
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = r < tiled_rows ? tiled_cols : 0; c < cols; ++c)
      dst[c * dst_stride + r] = src[r * src_stride + c];
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Transpose);

void transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols) {
  HWY_DYNAMIC_DISPATCH(Transpose)(dst, dst_stride, src, src_stride, rows, cols);
}

}  // namespace tputwin::fast
#endif

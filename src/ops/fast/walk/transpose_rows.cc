// Long pieces of every row at once, and results by way of a buffer: the lines of many lanes would
// drive each other out of the cache.
#include "ops/fast/walk/transpose_rows.h"

#include <algorithm>

#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {
namespace {

constexpr size_t kTileBytes = 16 << 10;

// Elements in a row of a square tile.
constexpr size_t tile_of(size_t bytes) { return bytes == 1 ? 128 : 64; }

bool equally_far(std::span<uint8_t* const> rows) {
  for (size_t i = 2; i < rows.size(); ++i)
    if (rows[i] - rows[i - 1] != rows[1] - rows[0]) return false;
  return rows.size() > 1 && rows[1] > rows[0];
}

// dst(c, r) = src(r, c) for `width` columns of the rows that begin there.
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

}  // namespace

void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last) {
  const size_t tile = tile_of(bytes), stride = tile * bytes;
  alignas(64) uint8_t columns[kTileBytes];
  for (size_t c = first; c < last; c += tile) {
    const size_t width = std::min(tile, last - c);
    for (size_t r = 0; r < src.size(); r += tile) {
      const auto rows = src.subspan(r, std::min(tile, src.size() - r));
      transpose_tile(bytes, columns, stride, rows, c, width);
      for (size_t i = 0; i < width; ++i)
        copy_bytes(dst[c + i] + r * bytes, columns + i * stride, rows.size() * bytes);
    }
  }
}

}  // namespace tputwin::fast

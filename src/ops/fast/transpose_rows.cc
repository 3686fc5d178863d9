// Every cache line of either side is touched once: lines of many lanes would drive each other out
// of the cache.
#include "ops/fast/transpose_rows.h"

#include <algorithm>

#include "ops/fast/dma_copy.h"
#include "ops/fast/transpose.h"

namespace tputwin::fast {
namespace {

constexpr size_t kLine = 64;

}  // namespace

void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last) {
  const size_t tile = kLine / bytes;
  alignas(64) uint8_t rows[kLine * kLine], columns[kLine * kLine];
  for (size_t r = 0; r < src.size(); r += tile) {
    const size_t height = std::min(tile, src.size() - r);
    for (size_t c = first; c < last; c += tile) {
      const size_t width = std::min(tile, last - c);
      for (size_t i = 0; i < height; ++i)
        copy_bytes(rows + i * kLine, src[r + i] + c * bytes, width * bytes);
      transpose(bytes, columns, kLine, rows, kLine, height, width);
      for (size_t i = 0; i < width; ++i)
        copy_bytes(dst[c + i] + r * bytes, columns + i * kLine, height * bytes);
    }
  }
}

}  // namespace tputwin::fast

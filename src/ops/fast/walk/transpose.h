// Transposes: planar to channels-last and back, matrices, and rows at any addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tputwin::fast {

// Transposes rows x cols bytes: dst(c, r) = src(r, c). Rows of dst and of src are one stride apart.
void transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols);
// Transposes elements of 1, 2 or 4 bytes: dst(c, r) = src(r, c). Strides are in bytes.
void transpose(size_t bytes, uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride,
               size_t rows, size_t cols);

// Transposes rows at arbitrary addresses: element r of dst[c] becomes element c of src[r]. Elements
// have 1, 2 or 4 bytes. Only rows [first, last) of dst are written.
void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last);

// Transposes cache lines of kInt32OfLine 32-bit elements from eight rows: dst[c] gets column c of
// all rows. Repeats for `count` lines of every row, `step` bytes apart. The elements written to
// dst[c] are contiguous.
constexpr size_t kInt32OfLine = 16;
void transpose_lines(std::span<uint8_t* const, kInt32OfLine> dst, const uint8_t* src,
                     size_t src_stride, size_t step, size_t count);

// Returns true if there are at least two rows, and they begin at equal, increasing distances.
bool equally_far(std::span<uint8_t* const> rows);

}  // namespace tputwin::fast

// Transposes: planar to channels-last and back, matrices, rows that lie anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tputwin::fast {

// dst(c, r) = src(r, c) for rows x cols bytes; a row of either starts a stride after the one
// before.
void transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols);
// The same for elements of 1, 2 or 4 bytes; strides are in bytes.
void transpose(size_t bytes, uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride,
               size_t rows, size_t cols);

// dst[c] element r = src[r] element c, for elements of 1, 2 or 4 bytes; rows of dst in
// [first, last) only.
void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last);

// Eight rows of words, of each a line of kWordsOfLine: dst[c] gets the words of column c of all
// rows. So for `count` lines of every row, `step` bytes apart; what dst[c] gets of them lies one
// behind the other.
constexpr size_t kWordsOfLine = 16;
void turn_lines(std::span<uint8_t* const, kWordsOfLine> dst, const uint8_t* src, size_t src_stride,
                size_t step, size_t count);

// Whether rows, at least two, begin at equal distances, one behind the other.
bool equally_far(std::span<uint8_t* const> rows);

}  // namespace tputwin::fast

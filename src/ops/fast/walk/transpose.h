// Transposes: planar to channels-last and back, matrices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

// dst(c, r) = src(r, c) for rows x cols bytes; a row of either starts a stride after the one
// before.
void transpose(uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride, size_t rows,
               size_t cols);
// The same for elements of 1, 2 or 4 bytes; strides are in bytes.
void transpose(size_t bytes, uint8_t* dst, size_t dst_stride, const uint8_t* src, size_t src_stride,
               size_t rows, size_t cols);

}  // namespace tputwin::fast

// The layout rules of local and global memory, one small function each.
// BM1880: BMKernel 1880 Guide 2.3, 2.4, 4.41, 4.46.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bits.h"
#include "chip/chip.h"
#include "memory/tensor_view.h"

namespace tputwin {

// Returns default local strides. Channel planes are packed (unaligned) or rounded up to the EU
// width (aligned).
constexpr Stride local_stride(const Chip& chip, const Shape& s, bool aligned) {
  uint32_t plane = s.h * s.w;
  if (aligned) plane = align_up(plane, chip.eu_bytes);
  return {ceil_div(s.c, chip.lanes) * plane, plane, s.w, 1};
}

constexpr uint32_t clamp_stride(uint64_t bytes) {
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

// Returns local strides of the BM1684 for elements (or cells) of `bytes` bytes in a tensor that
// starts in `start_lane`. A stride too large for any lane becomes UINT32_MAX.
constexpr Stride lane_stride(const Chip& chip, const Shape& s, uint64_t start_lane, uint32_t bytes,
                             bool aligned) {
  uint64_t plane = uint64_t{s.h} * s.w * bytes;
  if (aligned) plane = align_up(plane, uint64_t{chip.eu_bytes});
  const uint32_t step = clamp_stride(plane);
  return {clamp_stride(ceil_div(start_lane + s.c, uint64_t{chip.lanes}) * step), step,
          clamp_stride(uint64_t{s.w} * bytes), bytes};
}

// Returns the continuous strides of system memory for elements of `bytes` bytes.
constexpr Stride system_stride(const Shape& s, uint32_t bytes) {
  const uint32_t h = clamp_stride(uint64_t{s.w} * bytes), c = clamp_stride(uint64_t{h} * s.h);
  return {clamp_stride(uint64_t{c} * s.c), c, h, bytes};
}

constexpr Stride global_stride(const Shape& s) { return {s.c * s.h * s.w, s.h * s.w, s.w, 1}; }

// Returns the bytes of a lane that a tensor with default strides occupies (8-bit elements).
constexpr uint64_t local_lane_bytes(const Chip& chip, const Shape& s, bool aligned) {
  return uint64_t{s.n} * local_stride(chip, s, aligned).n;
}

// Returns the columns of a block of a matrix with `cols` columns. Each block is one channel.
constexpr uint32_t matrix_block(const Chip& chip, uint32_t cols) {
  return cols <= 2 * chip.eu_bytes ? chip.eu_bytes : 2 * chip.eu_bytes;
}

constexpr Shape matrix_shape(const Chip& chip, uint32_t rows, uint32_t cols) {
  uint32_t block = matrix_block(chip, cols);
  return {rows, ceil_div(cols, block), 1, block};
}

// Returns strides of a convolution weight of logical shape (IC,OC,KH,KW). It is stored as a tensor
// (1, OC, KH*KW, IC), input channel innermost.
constexpr Stride conv_weight_stride(const Shape& s) { return {1, s.n * s.h * s.w, s.w * s.n, s.n}; }

// Views that follow the rules above.
TensorView local_tensor(const Chip& chip, uint64_t address, const Shape& shape, bool aligned,
                        DType dtype);
TensorView global_tensor(uint64_t address, const Shape& shape, DType dtype = DType::i8);
MatrixView local_matrix(const Chip& chip, uint64_t address, uint32_t rows, uint32_t cols,
                        DType dtype);
MatrixView global_matrix(uint64_t address, uint32_t rows, uint32_t cols, uint32_t row_stride,
                         DType dtype = DType::i8);
TensorView conv_weight(uint64_t address, const Shape& shape, DType dtype);
// Returns the bias of convolutions: 16-bit (1,C,1,1), low plane then high plane, unaligned.
TensorView conv_bias(const Chip& chip, uint64_t address, uint32_t channels, bool is_signed);

}  // namespace tputwin

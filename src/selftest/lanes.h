// Operands of an instruction, one after the other in the lanes, from NPU 0 and byte 0 on.
#pragma once

#include <cstdint>

#include "base/bits.h"
#include "chip/chip.h"
#include "memory/layout.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin::testing {

class Lanes {
 public:
  explicit Lanes(const Chip& chip) : chip_(chip) {}

  // A cell of the BM1684 has `pack` images.
  TensorView aligned(const Shape& shape, DType dtype = DType::f32, uint8_t pack = 1) {
    return place(shape, dtype, true, pack);
  }
  TensorView compact(const Shape& shape, DType dtype = DType::f32, uint8_t pack = 1) {
    return place(shape, dtype, false, pack);
  }
  // Each channel has `width` columns.
  MatrixView matrix(uint32_t rows, uint32_t cols, uint32_t width, DType dtype = DType::f32) {
    return {aligned({rows, ceil_div(cols, width), 1, width}, dtype), rows, cols};
  }
  MatrixOperand by_columns(uint32_t rows, uint32_t cols, DType dtype) {
    return {.matrix = matrix(rows, cols, 32, dtype)};
  }
  MatrixOperand by_rows(uint32_t rows, uint32_t cols, DType dtype) {
    return {.matrix = {aligned({1, rows, 1, cols}, dtype), rows, cols}, .row_per_channel = true};
  }

  // Returns the used bytes of a lane.
  uint64_t end() const { return next_; }

 private:
  TensorView place(const Shape& shape, DType dtype, bool is_aligned, uint8_t pack) {
    const Shape cells{ceil_div(shape.n, uint32_t{pack}), shape.c, shape.h, shape.w};
    const uint32_t bytes = pack * element_bytes(dtype);
    const TensorView view{.dtype = dtype,
                          .pack = pack,
                          .plane_stride = is_16bit(dtype) ? 1u : 0u,
                          .address = next_,
                          .shape = shape,
                          .stride = lane_stride(chip_, cells, 0, bytes, is_aligned)};
    next_ = align_up(next_ + uint64_t{cells.n} * view.stride.n, uint64_t{chip_.eu_bytes});
    return view;
  }

  const Chip& chip_;
  uint64_t next_ = 0;
};

}  // namespace tputwin::testing

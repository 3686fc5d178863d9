// Views of whole tensors, weights and biases in the layouts of the documents.
#include "memory/layout.h"

namespace tputwin {

TensorView local_tensor(const Chip& chip, uint64_t address, const Shape& shape, bool aligned,
                        DType dtype) {
  return {.space = Space::local,
          .dtype = dtype,
          .address = address,
          .shape = shape,
          .stride = local_stride(chip, shape, aligned)};
}

TensorView global_tensor(uint64_t address, const Shape& shape, DType dtype) {
  return {.space = Space::global,
          .dtype = dtype,
          .address = address,
          .shape = shape,
          .stride = global_stride(shape)};
}

MatrixView local_matrix(const Chip& chip, uint64_t address, uint32_t rows, uint32_t cols,
                        DType dtype) {
  TensorView tensor =
      local_tensor(chip, address, matrix_shape(chip, rows, cols), /*aligned=*/true, dtype);
  if (is_16bit(dtype)) tensor.plane_stride = rows * tensor.stride.n;
  return {tensor, rows, cols};
}

MatrixView global_matrix(uint64_t address, uint32_t rows, uint32_t cols, uint32_t row_stride,
                         DType dtype) {
  return {{.space = Space::global,
           .dtype = dtype,
           .address = address,
           .shape = {rows, 1, 1, cols},
           .stride = {row_stride, cols, cols, 1}},
          rows,
          cols};
}

TensorView conv_weight(uint64_t address, const Shape& shape, DType dtype) {
  return {.space = Space::local,
          .dtype = dtype,
          .address = address,
          .shape = shape,
          .stride = conv_weight_stride(shape)};
}

TensorView conv_bias(const Chip& chip, uint64_t address, uint32_t channels, bool is_signed) {
  TensorView view = local_tensor(chip, address, {1, channels, 1, 1}, /*aligned=*/false,
                                 make_dtype(is_signed, /*is_8bit=*/false));
  view.plane_stride = view.stride.n;
  return view;
}

}  // namespace tputwin

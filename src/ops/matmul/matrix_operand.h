// matrix_operand: a matrix of the BM1684X's products.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// A matrix of a product as it is stored, or one value for all its elements.
struct MatrixOperand {
  MatrixView matrix;             // of a constant only rows, cols and the type
  bool row_per_channel = false;  // element (r,c) is element (0,r,0,c) of the tensor
  bool transposed = false;       // the product takes element (i,j) from (j,i)
  bool is_constant = false;
  uint32_t constant = 0;  // its bits; integers are sign or zero extended

  uint32_t rows() const { return transposed ? matrix.cols : matrix.rows; }
  uint32_t cols() const { return transposed ? matrix.rows : matrix.cols; }
  DType dtype() const { return matrix.tensor.dtype; }
  uint8_t* byte(const Memory& memory, uint32_t i, uint32_t j) const;
  // The element's bits; integers are extended by their sign.
  int32_t read(const Memory& memory, uint32_t i, uint32_t j) const;
  void write(const Memory& memory, uint32_t i, uint32_t j, int32_t value) const;
};

}  // namespace tputwin

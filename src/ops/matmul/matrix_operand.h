// matrix_operand: a matrix of the BM1684X's products.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// A matrix of a product as it is stored, or one value for all its elements.
struct MatrixOperand {
  // A constant uses only rows, cols and the type.
  MatrixView matrix;
  // True if element (r,c) is element (0,r,0,c) of the tensor.
  bool row_per_channel = false;
  // True if element (i,j) of the product is (j,i) of the matrix.
  bool transposed = false;
  bool is_constant = false;
  // Bits of the constant; integers are sign or zero extended.
  uint32_t constant = 0;

  uint32_t rows() const { return transposed ? matrix.cols : matrix.rows; }
  uint32_t cols() const { return transposed ? matrix.rows : matrix.cols; }
  DType dtype() const { return matrix.tensor.dtype; }
  uint8_t* byte(const Memory& memory, uint32_t i, uint32_t j) const;
  // Returns the bits of an element; integers are sign or zero extended.
  int32_t read(const Memory& memory, uint32_t i, uint32_t j) const;
  void write(const Memory& memory, uint32_t i, uint32_t j, int32_t value) const;
};

}  // namespace tputwin

// matmul_bm1684x_fp32: products of fp32 matrices.
#pragma once

#include <optional>

#include "ops/matmul/matrix_operand.h"

namespace tputwin {

// fp32: out(i,j) = A + B. The products left(i,k) * right(k,j) alternate between the accumulators A
// and B, which start as
//   A = 0, B = bias(0,j)         A = bias(0,j), B = old out(i,j) with accumulate (no bias: 0)
// All columns of the last channel are written, as in MatmulBm1684. bm1684x-machine 7.2.
struct MatmulBm1684xFp32 {
  MatrixOperand out, left, right;
  std::optional<MatrixView> bias;
  uint32_t constant_bias = 0;  // used without `bias`, fp32 bits
  bool accumulate = false;
};

TW_OPERATION(MatmulBm1684xFp32);
Footprint footprint(const MatmulBm1684xFp32&, const Chip&);
// Returns one result, as execute() stores it.
float result_at(const MatmulBm1684xFp32&, const Memory&, uint32_t i, uint32_t j);

}  // namespace tputwin

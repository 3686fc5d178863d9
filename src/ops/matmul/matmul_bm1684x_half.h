// matmul_bm1684x_half: products of fp16 and bf16 matrices, summed in groups.
#pragma once

#include "ops/matmul/matrix_operand.h"

namespace tputwin {

// fp16 and bf16: out(i,j) = (((start + sum of group 0) + sum of group 1) + ...) in fp32; each
// addition is rounded. start is the old out(i,j) with accumulate, otherwise 0. A group is 32
// consecutive k; add_tree() sums its products. bm1684x-machine 7.3.
struct MatmulBm1684xHalf {
  MatrixOperand out, left, right;
  bool accumulate = false;
};

TW_OPERATION(MatmulBm1684xHalf);
// Returns one result, as execute() stores it.
float result_at(const MatmulBm1684xHalf&, const Memory&, uint32_t i, uint32_t j);

}  // namespace tputwin

// 8-bit matmul of the BM1684: the BM1684X's product of the same integers, with one shift for all
// columns.
#include "ops/matmul/matmul_bm1684_int8.h"

#include "ops/fast/fast.h"
#include "ops/matmul/matmul_bm1684x_int.h"

namespace tputwin::fast {

bool execute(const MatmulBm1684Int8& op, const Memory& memory) {
  const MatrixOperand shift{.matrix = {.tensor = {.dtype = DType::i32}, .rows = 1, .cols = 1},
                            .is_constant = true,
                            .constant = 0 - op.rshift};
  const MatmulBm1684xInt product{.out = {.matrix = op.out},
                                 .left = {.matrix = op.left},
                                 .right = {.matrix = op.right},
                                 .bias = op.bias,
                                 .shift = shift,
                                 .rounding = Rounding::half_up};
  return fast::execute(product, memory);
}

}  // namespace tputwin::fast

// matmul_bm1684_int8: products of matrices of bytes.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// out(i,j) = sat(round_shift(sum over k of left(i,k) * right(k,j), + bias(0,j); rshift)), exact.
// All columns of the last channel are written, as in matmul_bm1684. With signed operands an
// unsigned result has the effect of ReLU.
struct MatmulBm1684Int8 {
  MatrixView out;                  // 8 or 16 bits
  MatrixView left, right;          // 8 bits
  std::optional<MatrixView> bias;  // 16 bits
  uint32_t rshift = 0;
};

TW_OPERATION(MatmulBm1684Int8);
Footprint footprint(const MatmulBm1684Int8&, const Chip&);

}  // namespace tputwin

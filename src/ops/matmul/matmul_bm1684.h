// matmul_bm1684: products of fp32 matrices.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// out(i,j) = sum over k of left(i,k) * right(k,j), added in the order of AlternatingSum, then +
// bias(0,j), then + old out(i,j).
// All columns of the last channel are written. Its padding columns are computed from the padding
// columns of right, bias and old out. The views of these have cols = whole channels.
struct MatmulBm1684 {
  MatrixView out, left, right;
  std::optional<MatrixView> bias;
  bool accumulate = false;
};

TW_OPERATION(MatmulBm1684);
// Returns one result, as execute() stores it.
float result_at(const MatmulBm1684&, const Memory&, uint32_t i, uint32_t j);
Footprint footprint(const MatmulBm1684&, const Chip&);

}  // namespace tputwin

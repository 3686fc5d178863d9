// matmul_bm1684: products of fp32 matrices.
#pragma once

#include <optional>

#include "ops/contract/contract.h"

namespace tputwin {

// out(i,j) = sum over k of left(i,k) * right(k,j), added as AlternatingSum does
// then + bias(0,j), then + old out(i,j).
// All columns of the last channel are written, the padding ones from what the padding columns of
// right, bias and old out hold: the views of these have cols = whole channels.
struct MatmulBm1684 {
  MatrixView out, left, right;
  std::optional<MatrixView> bias;
  bool accumulate = false;
};

TW_OPERATION(MatmulBm1684);
// One result, which execute() stores.
float result_at(const MatmulBm1684&, const Memory&, uint32_t i, uint32_t j);
Footprint footprint(const MatmulBm1684&, const Chip&);

}  // namespace tputwin

// matrix_mac: matrix product with bias, result accumulation and requantization.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/window.h"

namespace tputwin {

// acc(r,c) = sum over k of left(r,k) * right(k,c) + bias(0,c)
// relu: acc = max(acc, 0)     accumulate: acc += old res(r,c) << lshift, old res 16-bit
// res = saturate(round_shift(acc, rshift)), 8 or 16 bits wide as res.tensor.dtype, unsigned with
// relu, signed without; the old value is signed.
// An instruction decoded from a descriptor has res.cols = whole blocks: the chip also computes the
// padding columns.
struct MatrixMac {
  // 8-bit, or 16-bit planes. With accumulate plane_stride is set for the old 16-bit value even if
  // the new one is 8-bit.
  MatrixView res;
  MatrixView left, right;          // (R,K), (K,C)
  std::optional<MatrixView> bias;  // 16-bit (1,C)
  bool relu = false;
  bool accumulate = false;
  uint32_t lshift = 0, rshift = 0;
};

TW_OPERATION(MatrixMac);
Footprint footprint(const MatrixMac&, const Chip&);

}  // namespace tputwin

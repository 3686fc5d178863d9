// matmul_bm1684x_int: products of integer matrices with zero points, shift and saturation.
#pragma once

#include <optional>

#include "numerics/rounding.h"
#include "ops/contract/source.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin {

// Integers: v(i,j) = sum over k of left(i,k) * (right(k,j) - zero_point(k,j))
//   + bias(0,j) + (old(i,j) << lshift), modulo 2^64; with relu at least 0;
// out(i,j) = the low bits of v; or, with a shift, v * 2^shift(0,j), rounded and saturated.
struct MatmulBm1684xInt {
  MatrixOperand out, left, right;
  // One value, or one for each column j. Column j's is (0,j,0,0) if out is transposed, otherwise
  // (0,c mod NPUs,0,j), where right stores (k,j) in channel c.
  std::optional<Source> zero_point;
  std::optional<MatrixView> bias;
  int32_t constant_bias = 0;           // used without `bias`, 16 bits
  std::optional<MatrixOperand> shift;  // one row, or one value
  // Old values to which the result is added: the bytes of out, at the positions where the chip
  // reads them.
  std::optional<MatrixOperand> old;
  Rounding rounding = Rounding::half_even;
  uint32_t lshift = 0;
  bool relu = false;
};

TW_OPERATION(MatmulBm1684xInt);
Footprint footprint(const MatmulBm1684xInt&, const Chip&);
// Returns one result, given the sum of its products.
int32_t finish(const MatmulBm1684xInt&, const Memory&, uint32_t i, uint32_t j, int64_t sum);
// Returns the value that is subtracted from right(k,j). The operation must have zero points.
int64_t zero_point(const MatmulBm1684xInt& op, const Memory& memory, uint32_t k, uint32_t j);

}  // namespace tputwin

// matmul: products of matrices.
#pragma once

#include <optional>

#include "numerics/rounding.h"
#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

// out(i,j) = sum over k of left(i,k) * right(k,j), added as AlternatingSum does
// then + bias(0,j), then + old out(i,j).
// All columns of the last channel are written, the padding ones from what the padding columns of
// right, bias and old out hold: the views of these have cols = whole channels.
struct MatmulF32 {
  MatrixView out, left, right;
  std::optional<MatrixView> bias;
  bool accumulate = false;
};

TW_OPERATION(MatmulF32);
// One result, which execute() stores.
float result_at(const MatmulF32&, const Memory&, uint32_t i, uint32_t j);
Footprint footprint(const MatmulF32&, const Chip&);

// ---- Products of the BM1684X ----

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

// fp32: out(i,j) = A + B, to which the products left(i,k) * right(k,j) were added in turn:
//   A = 0, B = bias(0,j)         A = bias(0,j), B = old out(i,j) with accumulate (no bias: 0)
// All columns of the last channel are written, as MatmulF32 does. bm1684x-machine 7.2.
struct MatmulFloat {
  MatrixOperand out, left, right;
  std::optional<MatrixView> bias;
  bool accumulate = false;
};

// fp16 and bf16: out(i,j) = (((start + sum of group 0) + sum of group 1) + ...) in fp32, each
// addition rounded; start = old out(i,j) with accumulate, else 0; a group is 32 consecutive k,
// its products are summed as add_tree does. bm1684x-machine 7.3.
struct MatmulGrouped {
  MatrixOperand out, left, right;
  bool accumulate = false;
};

// Integers: v(i,j) = sum over k of left(i,k) * (right(k,j) - zero_point(k,j))
//   + bias(0,j) + (old(i,j) << lshift), modulo 2^64; with relu at least 0;
// out(i,j) = the low bits of v; or, with a shift, v * 2^shift(0,j), rounded and saturated.
struct MatmulInt {
  MatrixOperand out, left, right;
  // One value; or of column j: (0,j,0,0) if out is transposed, else (0,c mod NPUs,0,j), c the
  // channel in which right stores (k,j).
  std::optional<Source> zero_point;
  std::optional<MatrixView> bias;
  std::optional<MatrixOperand> shift;  // one row, or one value
  // What the result is added to: the bytes of out, wherever the chip looks for them.
  std::optional<MatrixOperand> old;
  Rounding rounding = Rounding::half_even;
  uint32_t lshift = 0;
  bool relu = false;
};

TW_OPERATION(MatmulFloat);
TW_OPERATION(MatmulGrouped);
TW_OPERATION(MatmulInt);
Footprint footprint(const MatmulFloat&, const Chip&);
Footprint footprint(const MatmulInt&, const Chip&);
// One result, which execute() stores.
float result_at(const MatmulFloat&, const Memory&, uint32_t i, uint32_t j);
float result_at(const MatmulGrouped&, const Memory&, uint32_t i, uint32_t j);
// The end of one: from the sum of its products.
int32_t finish(const MatmulInt&, const Memory&, uint32_t i, uint32_t j, int64_t sum);

}  // namespace tputwin

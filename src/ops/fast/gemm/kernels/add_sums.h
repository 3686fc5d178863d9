// Adds many short sums, one after another, to results that stay in registers.
#pragma once

#include <span>

#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {

// The factors of all terms. The factors of one term are contiguous. Right factors are read in whole
// vectors.
struct SumFactors {
  const float *left, *right;  // [term * pitch + row], [term * pitch + column]
  size_t left_pitch, right_pitch;
};

// A sum of few terms in chains. In each pair of chains, the first has a term if the second has one.
struct ShortSum {
  Chains chains;
  uint32_t terms = 0;
};

constexpr uint32_t kSumRows = 4;
// Returns the number of columns that one call of add_sums() can update.
uint32_t sum_columns();

// Computes results[row * kTilePitch + column] += sum for each of `sums` in order, for up to
// kSumRows rows and sum_columns() columns. Returns true if a result is NaN or -0. Such a result may
// differ in bits from the sum in the chip's order, because the zeros that sums begin with are not
// added.
bool add_sums(std::span<const ShortSum> sums, const SumFactors& factors, uint32_t rows,
              uint32_t columns, float* results);

}  // namespace tputwin::fast

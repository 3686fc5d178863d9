// Adds many short sums, one after another, to results that stay in registers meanwhile.
#pragma once

#include <span>

#include "ops/fast/gemm/tiles.h"

namespace tputwin::fast {

// The factors of all terms; a term's lie side by side. Right ones are read in whole vectors.
struct SumFactors {
  const float *left, *right;  // [term * pitch + row], [term * pitch + column]
  size_t left_pitch, right_pitch;
};

// Its chains: in either pair the first one has a term if the second has.
struct ShortSum {
  Chains chains;
  uint32_t terms = 0;
};

constexpr uint32_t kSumRows = 4;
// Columns that are added to at once.
uint32_t sum_columns();

// results[row * kTilePitch + column] += each of the sums in turn, of up to kSumRows rows and
// sum_columns() columns. True if a result is NaN or -0: it may have other bits than the sums added
// in the chip's order give, as zeros that sums begin with are not added.
bool add_sums(std::span<const ShortSum> sums, const SumFactors& factors, uint32_t rows,
              uint32_t columns, float* results);

}  // namespace tputwin::fast

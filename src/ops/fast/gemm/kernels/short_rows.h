// Rows of results with few terms each. Nothing is packed, and sums stay in registers.
#pragma once

#include "ops/fast/gemm/kernels/tiles.h"

namespace tputwin::fast {

constexpr size_t kMaxShortTerms = 8;
// kShortTermsPerTask is the number of terms, over all results, that is worth a task. A term costs
// as much as reading and writing a result.
constexpr uint64_t kShortTermsPerTask = 64 << 10;

// Computes a row of results. redo(index) computes the results of vectors that hold a NaN.
template <class Redo>
void sum_short_row(const TileKernels& kernels, const ShortRow& row, size_t terms,
                   const Redo& redo) {
  const float* right[kMaxShortTerms];
  for (size_t at = 0;;) {
    ShortRow rest = row;
    for (size_t i = 0; i < terms; ++i) right[i] = row.right[i] + at;
    rest.right = right;
    rest.out += at;
    rest.count -= at;
    at += kernels.short_row(rest);
    if (at >= row.count) return;
    for (size_t i = 0; i < kernels.vector_elements && at < row.count; ++i, ++at)
      row.out[at] = redo(at);
  }
}

}  // namespace tputwin::fast

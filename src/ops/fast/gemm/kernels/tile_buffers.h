// Limits and buffers that packing and micro-kernels of matrix products share.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {

// kMaxCopiedCells is the largest number of cells of a copy. kTermsPerTask is the number of terms,
// over all results, that is worth a task. kMaxChainTerms is the largest number of terms of a
// result.
constexpr uint64_t kMaxCopiedCells = 64 << 20;
constexpr uint64_t kTermsPerTask = 256 << 10;
constexpr uint64_t kMaxChainTerms = 1 << 20;

constexpr Declined kCopiesTooLarge = "the copies would be too large";

// Holds the results of a tile and their start values. The caller must initialize what the kernel
// reads. Columns that are no results may hold any values.
struct TileBuffers {
  alignas(64) uint32_t sums[kMaxTileRows * kTilePitch];
  alignas(64) uint32_t second[kMaxTileRows * kTilePitch];

  uint32_t* row(uint32_t r) { return sums + r * kTilePitch; }
  uint32_t* second_row(uint32_t r) { return second + r * kTilePitch; }
  const float* as_floats() const { return reinterpret_cast<const float*>(sums); }
  const float* second_as_floats() const { return reinterpret_cast<const float*>(second); }
};

}  // namespace tputwin::fast

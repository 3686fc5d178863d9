// What the products of matrices share between packing and micro-kernels.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/gemm/tiles.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"

namespace tputwin::fast {

// Cells of a copy that may be too large; terms of all results of a task.
constexpr uint64_t kMaxCopiedCells = 64 << 20;
constexpr uint64_t kTermsPerTask = 256 << 10;
constexpr uint64_t kMaxChainTerms = 1 << 20;

constexpr Declined kCopiesTooLarge = "the copies would be too large";

// Results of a tile and what they start from: whoever runs the kernel has filled in what it reads.
// Columns that are no results may hold anything.
struct TileRoom {
  alignas(64) uint32_t sums[kMaxTileRows * kTilePitch];
  alignas(64) uint32_t second[kMaxTileRows * kTilePitch];

  uint32_t* row(uint32_t r) { return sums + r * kTilePitch; }
  uint32_t* second_row(uint32_t r) { return second + r * kTilePitch; }
  const float* as_floats() const { return reinterpret_cast<const float*>(sums); }
  const float* second_as_floats() const { return reinterpret_cast<const float*>(second); }
};

}  // namespace tputwin::fast

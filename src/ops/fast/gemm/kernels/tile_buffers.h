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

// Most cells of a copy, and terms of all results of a task.
constexpr uint64_t kMaxCopiedCells = 64 << 20;
constexpr uint64_t kTermsPerTask = 256 << 10;
constexpr uint64_t kMaxChainTerms = 1 << 20;

constexpr Declined kCopiesTooLarge = "the copies would be too large";

// Results of a tile and their start values. The caller of the kernel must fill in what the kernel
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

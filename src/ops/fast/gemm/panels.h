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
constexpr uint64_t kMaxCopiedCells = 64 << 20, kMaxCopiedFloats = 16 << 20;
constexpr uint64_t kTermsPerTask = 256 << 10;
constexpr uint64_t kMaxChainTerms = 1 << 20;

constexpr Declined kCopiesTooLarge = "the copies would be too large";

// One side of a product is copied in panels of `panel_cells` cells, as many at a time as the budget
// of copies allows, each in `pieces`, and meets all `others` of the other side. pack(panel, piece,
// to) copies a piece, run(panel, other, from) computes a tile of `tile_work` terms.
template <class Pack, class Run>
void run_panels(uint64_t panels, uint64_t panel_cells, uint64_t pieces, uint64_t others,
                uint64_t tile_work, const Pack& pack, const Run& run) {
  thread_local Scratch scratch;
  const uint64_t group = std::clamp<uint64_t>(budgets().copies / panel_cells, 1, panels);
  // a tile's last vector may read behind the last panel
  uint32_t* const cells = scratch.take<uint32_t>(group * panel_cells + kTilePitch);
  for (uint64_t first = 0; first < panels; first += group) {
    const uint64_t count = std::min(group, panels - first);
    const size_t grain = grain_of(panel_cells / pieces, kTermsPerTask);
    parallel_for(count * pieces, grain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        pack(first + i / pieces, i % pieces, cells + i / pieces * panel_cells);
    });
    parallel_for(count * others, grain_of(tile_work, kTermsPerTask), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run(first + i / others, i % others, cells + i / others * panel_cells);
    });
  }
}

// Of a result in the planes of all images.
struct Place {
  uint32_t n, y, x;
};
inline Place place_of(uint64_t number, const Shape& out) {
  const uint64_t plane = uint64_t{out.h} * out.w, at = number % plane;
  return {static_cast<uint32_t>(number / plane), static_cast<uint32_t>(at / out.w),
          static_cast<uint32_t>(at % out.w)};
}

// Results of a tile and what they start from.
struct TileRoom {
  alignas(64) uint32_t sums[kMaxTileRows * kTilePitch] = {};
  alignas(64) uint32_t second[kMaxTileRows * kTilePitch] = {};

  uint32_t* row(uint32_t r) { return sums + r * kTilePitch; }
  uint32_t* second_row(uint32_t r) { return second + r * kTilePitch; }
  const float* as_floats() const { return reinterpret_cast<const float*>(sums); }
  const float* second_as_floats() const { return reinterpret_cast<const float*>(second); }
};

}  // namespace tputwin::fast

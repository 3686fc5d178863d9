// Tiles of fp32 results that are sums of products in the BM1684's order of additions
// (numerics/accumulate.h). The terms of a result form chains, each added up from its first term to
// its last; the chains are added in pairs, and the pairs to one another. Results do not depend on
// each other, so a tile of rows and columns keeps one chain of every result in registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin::fast {

struct Chains {
  // 2: AlternatingSum. 4: ChannelPairSum, the even channels' chains first.
  uint32_t count = 2;
  std::array<uint32_t, 5> begin{};  // of the terms: the first of each chain, and the end
  // Of every term: where its column factors start.
  std::vector<uint32_t> column_offset;

  uint32_t terms() const { return begin[count]; }
};

// Results are at sums[row * kTilePitch + column].
constexpr size_t kTilePitch = 64;
constexpr size_t kMaxTileRows = 8;

struct SumTile {
  const float* row_factors;     // [term][rows]
  const float* column_factors;  // [column_offset[term] + column], whole vectors are read
  float* sums;
  uint32_t rows, vectors;
  // Added in this order where not null: one per row, one per column, one per result (laid out as
  // sums).
  const float* row_bias = nullptr;
  const float* column_bias = nullptr;
  const float* addends = nullptr;
};

// The kernel of the instruction set in force.
struct TileKernel {
  uint32_t rows, vectors;  // of the largest tile
  uint32_t lanes;          // columns of one vector
  // True if a sum is NaN: its bits need not be those of the reference.
  bool (*run)(const Chains&, const SumTile&);

  uint32_t columns() const { return vectors * lanes; }
};
TileKernel tile_kernel();

}  // namespace tputwin::fast

// The micro-kernels of products of matrices: a tile of rows x columns of results in registers.
// Every result is a sum over terms of left * right, in 32-bit cells that packing has laid out as
// tiles read them. Three kinds of sums: chains of fp32 in the chip's order of additions, fp32
// groups in fixed point, and integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

constexpr size_t kTilePitch = 64;  // from one row of a tile's results to the next
constexpr size_t kMaxTileRows = 8;

struct Tile {
  const uint32_t* left;  // a panel of rows: [term * rows + row]
  const uint32_t*
      right;  // a panel of columns: [offset of the term + column], whole vectors are read
  uint32_t rows, vectors;
  // [row * kTilePitch + column]. Grouped and integer sums are added to what is there.
  uint32_t* sums;
};

// Sums of products that form chains, each added up from its first term to its last; the chains are
// added in pairs, and the pairs to one another. Results do not depend on each other, so a tile
// keeps one chain of every result in registers.
struct Chains {
  // 2: AlternatingSum. 4: ChannelPairSum, the even channels' chains first. (numerics/accumulate.h)
  uint32_t count = 2;
  std::array<uint32_t, 4> begin{}, end{};
  uint32_t step = 1;  // from one term of a chain to the next
  // Of every term: where its factors start in a panel of columns.
  const uint32_t* right_offset = nullptr;

  // Terms go to two chains in turn.
  static Chains alternating(uint32_t terms, const uint32_t* right_offset) {
    return {2, {0, 1}, {terms, terms}, 2, right_offset};
  }
};

// How sums of chains begin and end; what is null is left out. Laid out as the sums, if not said
// otherwise.
struct ChainEnds {
  std::array<const float*, 2> starts{};  // of the first two chains
  // Added in this order: one per row, one per column, one per result.
  const float* row_bias = nullptr;
  const float* column_bias = nullptr;
  const float* addends = nullptr;
};

// Terms of sums of groups: groups of kAddTreeGroup channels, taps, channels of the group. Each term
// is `pitch` columns behind the one before.
struct Groups {
  size_t pitch, channels, taps;
};

// The kernels of the instruction set in force.
struct TileKernels {
  uint32_t rows, vectors;  // of the largest tile
  uint32_t lanes;          // columns of one vector

  // True if a sum is NaN: it may have other bits than the reference body's.
  bool (*chains)(const Tile&, const Chains&, const ChainEnds&);
  // One row and one vector at a time. Results that need the reference body are NaN; true if there
  // is one.
  bool (*grouped)(const Tile&, const Groups&);
  // Cells of two 16-bit integers, whose products are summed modulo 2^32; all rows of a tile.
  void (*integers)(const Tile&, size_t pitch, size_t terms);

  uint32_t columns() const { return vectors * lanes; }
};
TileKernels tile_kernels();

}  // namespace tputwin::fast

// The order of packed weights that matrix tiles (AMX) read. A tile holds a row of 16 cells for each
// output channel, so the cells of a channel must be contiguous. The plain order of a panel is
//   weights[(group * taps + tap) * rows + row]
// and the order for tiles of `depth` groups is
//   weights[((group / depth * taps + tap) * rows + row) * depth + group % depth]
// Both have the same size, because the depth divides the number of groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

constexpr size_t kMostTileDepth = 16, kLeastTileDepth = 6;
// kLeastTilePositions is the smallest number of positions for which tiles are faster than vectors:
// half of a tile's positions.
constexpr size_t kLeastTilePositions = 8;

// Returns the depth of the tiles for `groups` groups: the largest divisor of `groups` that a tile
// holds. Returns 0 if such tiles would be slower than vectors.
constexpr size_t tile_depth(size_t groups) {
  for (size_t depth = std::min(groups, kMostTileDepth); depth >= kLeastTileDepth; --depth)
    if (groups % depth == 0) return depth;
  return 0;
}

// Describes the order of the weights of a panel. A depth of 0 stands for the plain order.
struct PanelOrder {
  size_t rows, taps, depth;

  size_t index(size_t group, size_t tap, size_t row) const {
    if (depth == 0) return (group * taps + tap) * rows + row;
    return ((group / depth * taps + tap) * rows + row) * depth + group % depth;
  }
};

// Reorders a panel of `groups` groups in place, from the plain order to the order for tiles.
void order_for_tiles(const PanelOrder& order, size_t groups, uint32_t* panel);

}  // namespace tputwin::fast

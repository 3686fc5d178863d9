// Reorders panels of weights for matrix tiles.
#include "ops/fast/gemm/kernels/tile_order.h"

#include "ops/fast/scratch.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {

// The groups of a tile stay together in both orders, so each tile's part is permuted by itself.
void order_for_tiles(const PanelOrder& order, size_t groups, uint32_t* panel) {
  thread_local Scratch scratch;
  const size_t columns = order.taps * order.rows, part = order.depth * columns;
  uint32_t* const plain = scratch.take<uint32_t>(part);
  for (size_t first = 0; first < groups; first += order.depth, panel += part) {
    std::copy_n(panel, part, plain);
    transpose(sizeof *panel, reinterpret_cast<uint8_t*>(panel), order.depth * sizeof *panel,
              reinterpret_cast<const uint8_t*>(plain), columns * sizeof *plain, order.depth,
              columns);
  }
}

}  // namespace tputwin::fast

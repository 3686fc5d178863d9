// The data layout of dot products: what the inner loops of convolutions and matrix products read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

// A sum over `groups` x `taps` steps. A step multiplies uint32 cells. Each cell holds as many
// consecutive reduction elements as one instruction sums (4 bytes or 2 int16). Neighbouring outputs
// ("positions") are in neighbouring cells of the data, so that the sums come out planar. Outputs
// that share the data ("rows") are in neighbouring cells of the weights.
//   sum(row, position) = sum over g, t of dot(data[g * group_stride + offsets[t] + position],
//                                             weights[(g * taps + t) * rows + row])
struct Reduction {
  const uint32_t* data;
  size_t group_stride;      // in uint32 cells
  const uint32_t* offsets;  // one per tap, in uint32 cells
  size_t taps, groups;
  const uint32_t* weights;
  // True only if no byte of the data is above 127. It may always be false.
  bool is_narrow = false;
  // If not 0, the weights are in the order for tiles of this depth (tile_order.h).
  size_t tile_depth = 0;
};

}  // namespace tputwin::fast

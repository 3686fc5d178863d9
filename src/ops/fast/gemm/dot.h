// The data layout of dot products: what the inner loops of convolutions and matrix products read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

// A sum over `groups` x `taps` steps. A step multiplies dwords: each holds as many consecutive
// reduction elements as one instruction sums (4 bytes or 2 words). Neighbouring outputs
// ("positions") lie in neighbouring dwords of the data, so that the sums come out planar; outputs
// that share the data ("rows") lie in neighbouring dwords of the weights.
//   sum(row, position) = sum over g, t of dot(data[g * group_stride + offsets[t] + position],
//                                             weights[(g * taps + t) * rows + row])
struct Reduction {
  const uint32_t* data;
  size_t group_stride;      // in dwords
  const uint32_t* offsets;  // of each tap, in dwords
  size_t taps, groups;
  const uint32_t* weights;
  bool is_narrow = false;  // no byte of the data is above 127; need not be told
};

}  // namespace tputwin::fast

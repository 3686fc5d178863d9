// Positions of tensors and weights in global memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/lowering/tiled_kernel.h"

namespace tputwin::net {

// Position of a tensor in neuron memory. `sample_bytes` is the distance of samples: a part of a
// concatenation is stored inside the whole.
struct TensorPosition {
  uint64_t offset = 0;
  uint64_t sample_bytes = 0;
};
using TensorPositions = std::map<std::string, TensorPosition, std::less<>>;

// Offsets of the weights of every kernel in weight memory.
using WeightOffsets = std::map<const TiledKernel*, std::vector<uint64_t>>;

}  // namespace tputwin::net

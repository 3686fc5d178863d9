// Positions of tensors and weights in global memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

// Position of a tensor in neuron memory. `sample_bytes` is the distance of samples: a part of a
// concatenation is stored inside the whole.
struct TensorPlace {
  uint64_t offset = 0;
  uint64_t sample_bytes = 0;
};
using TensorPlaces = std::map<std::string, TensorPlace, std::less<>>;

// Offsets of the weights of every kernel in weight memory.
using WeightPlaces = std::map<const Kernel*, std::vector<uint64_t>>;

}  // namespace tputwin::net

// Where tensors and weights lie in global memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

// Where the tensors of a net lie in neuron memory. `sample_bytes` is the distance of samples: a
// tensor that is part of a concatenation lies in the whole.
struct TensorPlace {
  uint64_t offset = 0;
  uint64_t sample_bytes = 0;
};
using TensorPlaces = std::map<std::string, TensorPlace, std::less<>>;

// Offsets of every kernel's weights in weight memory.
using WeightPlaces = std::map<const Kernel*, std::vector<uint64_t>>;

}  // namespace tputwin::net

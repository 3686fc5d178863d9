// Rewriting of a float net so that more layers can follow each other in local memory.
#pragma once

#include <map>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns factors that are all equal into powers, and adds constants to the biases of inner products.
// Layers of two tensors repeat values as they read them. Reshapes move behind functions of one
// value, where pairs of them disappear. Readers skip reshapes that kernels view alike.
// A factor of a product, from 1/32 to 1, multiplies the left operand instead if that is smaller.
// `has_bytes`: layers of two tensors that bytes can have stay.
// Returns the new tensors, as multiples of earlier ones.
struct Multiple {
  std::string tensor;
  float factor = 1;
};
std::map<std::string, Multiple> simplify(Network& network, bool has_bytes);

}  // namespace tputwin::net::bm1684x

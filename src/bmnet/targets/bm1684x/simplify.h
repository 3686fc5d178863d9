// Rewriting of a float net so that more layers can follow each other in local memory.
#pragma once

#include <map>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns factors that are all equal into powers, and adds constants to the biases of inner products.
// Layers of two tensors repeat values as they read them. Reshapes move behind functions of one
// value, where pairs of them disappear. Readers skip reshapes that kernels view alike.
// `has_bytes`: layers of two tensors that bytes can have stay.
// Returns the new tensors, with earlier ones of the same values.
std::map<std::string, std::string> simplify(Network& network, bool has_bytes);

}  // namespace tputwin::net::bm1684x

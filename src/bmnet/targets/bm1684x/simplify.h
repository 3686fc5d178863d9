// Rewriting of a float net so that more layers can follow each other in local memory.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns factors that are all equal into powers, and adds constants to the biases of inner products.
// Layers of two tensors repeat values as they read them. Reshapes move behind functions of one
// value, where pairs of them disappear. Readers skip reshapes that kernels view alike.
void simplify(Network& network);

}  // namespace tputwin::net::bm1684x

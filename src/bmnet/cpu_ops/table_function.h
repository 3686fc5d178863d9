// Functions of one value that are computed with look-up tables.
#pragma once

#include <functional>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns the function of an operation that is a look-up table: activations other than ReLU, power,
// clip. Returns an empty function for other operations.
std::function<float(float)> table_function(const TensorOp& op);

}  // namespace tputwin::net

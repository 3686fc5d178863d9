// The functions of one value that are tables.
#pragma once

#include <functional>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// The function of an operation that is a table: activations other than ReLU, power, clip. Empty of
// others.
std::function<float(float)> table_function(const TensorOp& op);

}  // namespace tputwin::net

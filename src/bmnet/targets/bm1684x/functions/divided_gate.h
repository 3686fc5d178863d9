// Gates x * g(x) whose functions have no sequence of steps: g and the product are layers.
#pragma once

#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Returns true for a gate that floats need as several layers.
bool must_divide(const TensorOp& op);
// Returns the functions of the gate and the product. Their names are LAYER/WHAT, and the last one
// has the result of the gate.
std::vector<TensorOp> divided_gate(const TensorOp& gate);

}  // namespace tputwin::net::bm1684x

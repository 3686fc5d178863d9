// Shapes of operations that run on the host: reductions, resampling, products, largest values.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns the shape of the single result. Errors: net_layer_parameter.
Result<std::vector<int64_t>> infer_host_shape(const TensorOp& op);

}  // namespace tputwin::net

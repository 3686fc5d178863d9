// Functions that are arithmetic on tiles in fp32.
#pragma once

#include <memory>

#include "bmnet/targets/bm1684x/kernel.h"

namespace tputwin::net::bm1684x {

// Returns the kernel of a function without steps (scalar_steps.h), without operands; nullptr if
// there is none. It computes in fp32.
std::unique_ptr<StreamKernel> composed_function(const TensorOp& op);

}  // namespace tputwin::net::bm1684x

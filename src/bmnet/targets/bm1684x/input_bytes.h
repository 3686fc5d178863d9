// Inputs that have bytes in the model.
#pragma once

#include <map>
#include <string>

#include "bmnet/ir/network.h"
#include "bmnet/targets/bm1684x/numbers.h"

namespace tputwin::net::bm1684x {

// Returns true if results of the operation are elements of its input.
bool keeps_numbers(const TensorOp& op);

// Returns the numbers, of scale 1, of inputs that have bytes in the model, and of tensors that have
// elements of them. So bytes of a caller keep their values, and all of them are exact.
std::map<std::string, Numbers> bytes_of_inputs(const Network& network);

}  // namespace tputwin::net::bm1684x

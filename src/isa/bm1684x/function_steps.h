// Functions that the chip executes in several commands.
#pragma once

#include <vector>

#include "ops/operation.h"

namespace tputwin::isa::bm1684x_streams {

// Returns the steps of a function, on its work tensors and tables. Returns the function itself if
// it is one command, or if a table for the steps is missing.
std::vector<Operation> function_steps(const FloatFunction& op, const Chip& chip);

}  // namespace tputwin::isa::bm1684x_streams

// Functions that the chip carries out in several commands.
#pragma once

#include <vector>

#include "ops/operation.h"

namespace tputwin::isa::bm1684x_streams {

// The steps of a function, on its work tensors and tables; the function itself if one command
// carries it out, or if it lacks a table that the steps need.
std::vector<Operation> function_steps(const FloatFunction& op, const Chip& chip);

}  // namespace tputwin::isa::bm1684x_streams

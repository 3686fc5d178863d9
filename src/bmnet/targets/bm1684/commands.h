// Operations of shared kernels as commands of the BM1684.
#pragma once

#include <vector>

#include "base/error.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684 {

// Input channels next to each other in the weights of a convolution.
inline constexpr uint32_t kPair = 2;

// Returns the commands of an operation. An error names an operation that has none.
Result<std::vector<Operation>> commands_of(const Operation& op, const Chip& chip);

}  // namespace tputwin::net::bm1684

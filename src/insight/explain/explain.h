// Explain: computes one result of an operation by its formula, and prints the formula with numbers.
#pragma once

#include <optional>
#include <string>

#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin::explain {

struct Explanation {
  std::string text;  // lines
  // Bits of the result, for operations with a formula. For others the text only lists the operands.
  std::optional<int32_t> result;
  // Operands share bytes with the result, so earlier elements may have changed them.
  bool overlaps = false;
};

// Returns the operand that an operation writes; nullptr: none.
const TensorView* result_of(const Operation& op);
// Explains element `at` (n,c,h,w) of the result. Memory must be as before the operation.
Explanation explain(const Operation& op, const Memory& memory, const Chip& chip, const Shape& at);

}  // namespace tputwin::explain

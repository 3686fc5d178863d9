// Explain: one result of an operation as its formula with its numbers.
#pragma once

#include <optional>
#include <string>

#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin::explain {

struct Explanation {
  std::string text;  // lines
  // The bits of the result, of operations whose formula is spelled out; of others the text has the
  // operands that take part.
  std::optional<int32_t> result;
  // Operands share bytes with the result, so that elements computed before may have changed them.
  bool overlaps = false;
};

// The operand that an operation writes; nullptr: none.
const TensorView* result_of(const Operation& op);
// Element `at` (n,c,h,w) of the result, from memory as it is before the operation.
Explanation explain(const Operation& op, const Memory& memory, const Chip& chip, const Shape& at);

}  // namespace tputwin::explain

// Operations whose operands share bytes.
#pragma once

#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Moves one operand onto another one of the same memory: to the same place, a few bytes, an element
// or a row before or after it; at times with other strides. The operation stays legal, and what it
// writes stays as large. False: nothing that was tried is legal, and the operation is as it was.
bool overlap_operands(Rng& rng, Operation& operation, const Chip& chip, uint64_t global_bytes);

}  // namespace tputwin::testing

// Operations whose operands share bytes.
#pragma once

#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Moves one operand onto another one in the same memory: to the same address, or some bytes, an
// element or a row before or after it; sometimes with other strides. The operation stays legal, and
// writes as many bytes. Returns false, and does not change the operation, if no legal position was
// found.
bool overlap_operands(Rng& rng, Operation& operation, const Chip& chip, uint64_t global_bytes);

}  // namespace tputwin::testing

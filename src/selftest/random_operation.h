// Random legal operations of every kind. The seed determines them.
#pragma once

#include "chip/chip.h"
#include "ops/operation.h"
#include "selftest/operation_kinds.h"
#include "selftest/rng.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {

// Returns an operation that passes check() without an error (warnings happen) and check_bounds()
// with kTestGlobalBytes. It has odd shapes, all layouts, start lanes, in-place use, the ends of
// lanes, or extreme shifts. Work is small: at most about 100,000 multiplications, except for
// matrix_mac2.
Operation random_operation(Rng& rng, OperationKind kind, const Chip& chip);
inline Operation random_operation(Rng& rng, OperationKind kind) {
  return random_operation(rng, kind, chip_of(kind));
}

// Returns true if check() finds no violation of level error, and all operands are in bounds.
bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes);

}  // namespace tputwin::testing

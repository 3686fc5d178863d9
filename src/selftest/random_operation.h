// Random legal operations of every kind. Deterministic by seed.
#pragma once

#include "chip/chip.h"
#include "ops/operation.h"
#include "selftest/operation_kinds.h"
#include "selftest/rng.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {

// An operation that passes check() without an error (warnings happen) and check_bounds() with
// kTestGlobalBytes: odd shapes, all layouts, start lanes, in-place use, the ends of lanes, extreme
// shifts. Work is small (about 100,000 multiplications at most, but for matrix_mac2).
Operation random_operation(Rng& rng, OperationKind kind, const Chip& chip);
inline Operation random_operation(Rng& rng, OperationKind kind) {
  return random_operation(rng, kind, chip_of(kind));
}

// check() has no violation of level error, and all operands are in bounds.
bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes);

}  // namespace tputwin::testing

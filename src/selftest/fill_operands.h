// Fills what an operation reads: random values that mean something to it.
#pragma once

#include <span>

#include "chip/chip.h"
#include "memory/memory.h"
#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Fills everything the operation reads or writes. Bytes: uniform, small, extreme (with and
// without -128), sparse, or none or few above 127. Other elements: one kind of values (kinds.h) for
// each operand; shift amounts, indices and masks in their ranges and beyond; pairs of special
// values inside the groups that a chip sums at once.
void fill_operands(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory);
// Only these bits of each byte.
void fill_random(Rng& rng, std::span<uint8_t> bytes, uint8_t bits = 0xff);

}  // namespace tputwin::testing

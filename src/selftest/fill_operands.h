// Filling of operands with random values that suit the operation.
#pragma once

#include <span>

#include "chip/chip.h"
#include "memory/memory.h"
#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Fills everything that the operation reads or writes. Bytes are uniform, small, extreme (with and
// without -128), sparse, or with no or few values above 127. Other elements have one kind of values
// (kinds.h) per operand. Shift amounts, indices and masks are in their ranges and beyond. Pairs of
// special values are put into groups that a chip sums at once.
void fill_operands(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory);
// Fills bytes randomly. Only the bits of `bits` can be set.
void fill_random(Rng& rng, std::span<uint8_t> bytes, uint8_t bits = 0xff);

}  // namespace tputwin::testing

// Pairs of special values that meet in one sum of the chip, or in one vector of a fast kernel.
// Values that are drawn one by one seldom meet, and a kernel may be right about each and wrong
// about both.
#pragma once

#include <cstdint>

#include "memory/memory.h"
#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

enum class PairKind : uint8_t {
  // Two NaN with different signs and payloads, one quiet and one signalling.
  payloads,
  zeros,         // 0 and -0
  infinities,    // of both signs
  infinity_nan,  // infinity with NaN
  // The smallest subnormal with the largest number.
  limits,
  // A sum that is a tie between two numbers of the type.
  ties
};
inline constexpr uint32_t kPairKinds = static_cast<uint32_t>(PairKind::ties) + 1;

// Bits of floating-point elements.
struct Pair {
  uint32_t first, second;
};
Pair special_pair(PairKind kind, DType type);

// Writes a pair into operands that are already filled.
// For fp16 and bf16 products that the BM1684X sums in groups of 32: half of the operations get a
// pair in one group. Its other factors become 1, and other products become 0 where they would hide
// the pair.
// For other operations with floating-point operands: a quarter of them gets a pair in two elements
// near each other, of one operand or two.
void plant_pair(Rng& rng, const Operation& operation, const Memory& memory);

}  // namespace tputwin::testing

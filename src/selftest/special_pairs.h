// Pairs of special values that meet in one sum of the chip, or in one vector of a fast body. Drawn
// one by one such values seldom meet, and a body may be right about each and wrong about both.
#pragma once

#include <cstdint>

#include "memory/memory.h"
#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

enum class PairKind : uint8_t {
  payloads,      // two NaN of other signs and payloads, one quiet and one signalling
  zeros,         // 0 and -0
  infinities,    // of both signs
  infinity_nan,  // infinity beside NaN
  limits,        // the smallest subnormal beside the largest number
  halves         // a sum half way between two numbers of the type
};
inline constexpr uint32_t kPairKinds = static_cast<uint32_t>(PairKind::halves) + 1;

// Bits of floating-point elements.
struct Pair {
  uint32_t first, second;
};
Pair special_pair(PairKind kind, DType type);

// Writes a pair into operands that are filled already. Of the fp16 and bf16 products that the
// BM1684X sums by 32, into one group of half the operations, whose other factors become 1 and whose
// other products 0 where the pair would drown; of other operations of floating-point operands, into
// two elements near each other, of one operand or two, of a quarter of them.
void plant_pair(Rng& rng, const Operation& operation, const Memory& memory);

}  // namespace tputwin::testing

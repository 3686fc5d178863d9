// Kinds of values: what random tests give elements. Formulas go wrong at zeros, NaN, borders and
// ties, which uniform bits never meet, so every generator draws its values here.
#pragma once

#include <cstdint>

#include "memory/tensor_view.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Of one tensor, or one constant.
enum class ValueKind : uint8_t {
  integers,  // small whole numbers
  usual,     // magnitudes around 1
  wide,      // magnitudes of 2^-24 to 2^24
  zeros,     // 0 and -0 beside 1 and -1
  nans,     // infinities and NaN of several payloads, quiet and signalling, beside zeros and limits
  borders,  // around the smallest and largest numbers, and where types round to them
  halves,   // exact halves and their neighbours, down to -103 and up to 88, where e^x ends
  any       // of all these, and any bits
};
ValueKind random_kind(Rng& rng);

// Bits of an fp32 number.
uint32_t random_f32(Rng& rng, ValueKind kind);
// Bits of a 32-bit integer: small and extreme ones, and those of more than 24 bits that lie on or
// beside ties of the conversions to floating-point types.
uint32_t random_integer(Rng& rng);
// Bits of an element of any type; only the low ones count.
uint32_t random_bits(Rng& rng, DType dtype, ValueKind kind);
inline uint32_t random_bits(Rng& rng, DType dtype) {
  return random_bits(rng, dtype, random_kind(rng));
}

}  // namespace tputwin::testing

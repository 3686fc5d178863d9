// Kinds of values that random tests give to elements. Formulas fail at zeros, NaN, limits and ties,
// which uniform bits never hit, so every generator draws its values here.
#pragma once

#include <cstdint>

#include "memory/tensor_view.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Kind of the values of one tensor, or of one constant.
enum class ValueKind : uint8_t {
  integers,  // small whole numbers
  usual,     // magnitudes around 1
  wide,      // magnitudes of 2^-24 to 2^24
  zeros,     // 0 and -0, with 1 and -1
  // Infinities, and NaN with several payloads, quiet and signalling, with zeros and limits.
  nans,
  // Around the smallest and largest numbers, and values that round to these.
  borders,
  // Exact ties n + 1/2 and their neighbours, from -103 to 88, where e^x ends.
  ties,
  any  // all of these, and any bits
};
ValueKind random_kind(Rng& rng);

// Returns the bits of an fp32 number.
uint32_t random_f32(Rng& rng, ValueKind kind);
// Returns the bits of a 32-bit integer: small and extreme ones, and integers of more than 24 bits
// at or next to ties of conversions to floating-point types.
uint32_t random_integer(Rng& rng);
// Returns the bits of an element of any type. Only the low bits are used.
uint32_t random_bits(Rng& rng, DType dtype, ValueKind kind);
inline uint32_t random_bits(Rng& rng, DType dtype) {
  return random_bits(rng, dtype, random_kind(rng));
}

}  // namespace tputwin::testing

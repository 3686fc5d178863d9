// bitwise: logic of integers, shifts of 32-bit elements, rotations.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// and, or, xor: bitwise, on elements of any width
// shifts: a shifted left by b > 0, right by -b otherwise. Right shifts fill with the sign
// (arithmetic) or with zeros (logical). Amounts outside [-32, 32] count by their low 6 bits, as a
// signed number.
// rotate: a rotated left by b modulo its bits, b a signed number of any width. 16-bit elements
// rotate by b's remainder modulo 32, as in the reference model; remainders beyond 16 in either
// direction give 0.
struct Bitwise {
  enum class Kind : uint8_t { bit_and, bit_or, bit_xor, arithmetic_shift, logical_shift, rotate };
  Kind kind = Kind::bit_and;
  TensorView out;
  Source a, b;  // not both constant
  // Shifts by exactly +-32. false: everything is shifted out; true: the value is unchanged, as in
  // the reference model (quirk shift32).
  bool keeps_at_32 = false;
};
std::string_view to_string(Bitwise::Kind kind);

TW_OPERATION(Bitwise);

}  // namespace tputwin

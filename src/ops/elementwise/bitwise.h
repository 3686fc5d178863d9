// bitwise: logic of integers, shifts of 32-bit elements, rotations.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// and, or, xor: bitwise, on elements of any width
// shifts: a shifted left by b > 0, right by -b otherwise; arithmetic: the sign enters on the right,
// logical: zeros. Of amounts outside [-32, 32] the low 6 bits count, as a signed number.
// rotate: a rotated left by b modulo its bits, b a signed number of any width. 16-bit elements, as
// the reference model does: by b's remainder of 32, which from 17 bits on, either way, leaves 0.
struct Bitwise {
  enum class Kind : uint8_t { bit_and, bit_or, bit_xor, arithmetic_shift, logical_shift, rotate };
  Kind kind = Kind::bit_and;
  TensorView out;
  Source a, b;  // not both constant
  // By exactly +-32: false: everything is shifted out; true: the value stays, as the reference
  // model leaves it (quirk shift32).
  bool keeps_at_32 = false;
};
std::string_view to_string(Bitwise::Kind kind);

TW_OPERATION(Bitwise);

}  // namespace tputwin

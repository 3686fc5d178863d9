// fixed_point: integer arithmetic on packed 8 and 16-bit elements.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// add, sub, mul: sat(round_shift(a + b, a - b, a * b; rshift))
// mac: sat(round_shift(old * 2^lshift + a * b, rshift)), old has the type `old_type`
// max, min: no shift
// shifts (16 bits): a shifted left by b > 0, right by -b otherwise. b is the signed low byte of the
//   source. Bits shifted out are lost. Right shifts fill with the sign (arithmetic) or with zeros
//   (logical).
// and, or, xor: bit by bit
struct FixedPoint {
  enum class Kind : uint8_t {
    add,
    sub,
    mul,
    mac,
    max,
    min,
    arithmetic_shift,
    logical_shift,
    bit_and,
    bit_or,
    bit_xor
  };
  Kind kind = Kind::add;
  TensorView out;
  Source a, b;               // not both constant
  DType a_type = DType::i8;  // also of a constant
  DType b_type = DType::i8;
  DType old_type = DType::i16;  // used by mac
  uint32_t lshift = 0, rshift = 0;
};
std::string_view to_string(FixedPoint::Kind kind);

TW_OPERATION(FixedPoint);

}  // namespace tputwin

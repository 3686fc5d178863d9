// fixed_point: integer arithmetic on packed 8 and 16-bit elements.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// add, sub, mul: sat(round_shift(a + b, a - b, a * b; rshift))
// mac: sat(round_shift(old * 2^lshift + a * b, rshift)), old with the type `old_type`
// max, min: no shift
// shifts (16 bits): a shifted left by b > 0, right by -b otherwise, at most by 16; bits shifted out
// are lost; arithmetic: the sign enters on the right, logical: zeros
struct FixedPoint {
  enum class Kind : uint8_t { add, sub, mul, mac, max, min, arithmetic_shift, logical_shift };
  Kind kind = Kind::add;
  TensorView out;
  Source a, b;               // not both constant
  DType a_type = DType::i8;  // also of a constant
  DType b_type = DType::i8;
  DType old_type = DType::i16;  // mac
  uint32_t lshift = 0, rshift = 0;
};
std::string_view to_string(FixedPoint::Kind kind);

TW_OPERATION(FixedPoint);

}  // namespace tputwin

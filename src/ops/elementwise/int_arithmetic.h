// int_arithmetic: integer arithmetic with shift, rounding and saturation.
#pragma once

#include "numerics/rounding.h"
#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// out = limit(x * 2^shift), rounded if the shift is negative; x is
//   add: a + b   sub: a - b   mul: a * b   mac: (out * 2^lshift) + a * b   shift: a
//   min, max: the smaller, larger one of a and b
// limit saturates to the type of the result, or keeps its low bits. All other steps are exact.
// The types of the operands may differ.
struct IntArithmetic {
  enum class Kind : uint8_t { add, sub, mul, min, max, mac, shift };
  Kind kind = Kind::add;
  TensorView out;
  Source a;
  Source b = {};  // unused by shift
  Source shift = Source::value(0, DType::i8);
  Rounding rounding = Rounding::half_up;
  bool saturates = true;
  uint8_t lshift = 0;  // mac only
};
std::string_view to_string(IntArithmetic::Kind kind);

// Returns one element. Operands that the kind does not have are ignored.
int32_t int_arithmetic(const IntArithmetic& op, int64_t a, int64_t b, int64_t old, int32_t shift);

TW_OPERATION(IntArithmetic);

}  // namespace tputwin

// float_arithmetic: fp32 arithmetic on two operands.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

// add: a + b   sub: a - b   mul: a * b   div: a / b, approximate (f32::div)   mac: (a * b) + out
// max: a > b ? a : b, flushed   min: a <= b ? a : b, not flushed
// Negation is 0 - b, the reciprocal 1 / b.
struct FloatArithmetic {
  enum class Kind : uint8_t { add, sub, mul, div, mac, max, min };
  Kind kind = Kind::add;
  TensorView out;
  Source a, b;  // not both constant
};
std::string_view to_string(FloatArithmetic::Kind kind);

TW_OPERATION(FloatArithmetic);

}  // namespace tputwin

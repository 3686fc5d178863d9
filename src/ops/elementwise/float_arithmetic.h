// float_arithmetic: arithmetic on floating-point operands.
#pragma once

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// add: a + b   sub: a - b   mul: a * b   div: a / b, approximate (f32::div)   mac: (a * b) + out
// diff_abs: a > b ? a - b : b - a   add_square: (a + b)^2   sub_square: (a - b)^2
// mul_add: c + (b * a)
// max: a > b ? a : b   min: a <= b ? a : b   lesser: b <= a ? b : a   These three copy bits, those
//   of NaN too; max and lesser flush subnormals of fp32 and bf16.
// Negation is 0 - b, the reciprocal 1 / b. fp16 and bf16 are widened to fp32 and each step is
// rounded to their type.
struct FloatArithmetic {
  enum class Kind : uint8_t {
    add,
    sub,
    mul,
    div,
    mac,
    max,
    min,
    lesser,
    diff_abs,
    add_square,
    sub_square,
    mul_add
  };
  Kind kind = Kind::add;
  TensorView out;
  Source a, b;    // not both constant
  Source c = {};  // mul_add only
  // add, mac: b + a, b * a. If both operands are NaN, the first one is the result.
  bool b_first = false;
};
std::string_view to_string(FloatArithmetic::Kind kind);
// Returns true if the result is one of the operands.
constexpr bool is_choice(FloatArithmetic::Kind kind) {
  using Kind = FloatArithmetic::Kind;
  return kind == Kind::max || kind == Kind::min || kind == Kind::lesser;
}

// Return one element. Operands that the kind does not have are ignored.
// Kinds that compute; each step but the last is rounded to the type:
float float_arithmetic(const FloatArithmetic& op, float a, float b, float c);
// Kinds that choose; arguments and result are bits of the type:
uint32_t float_choice(const FloatArithmetic& op, uint32_t a, uint32_t b);

TW_OPERATION(FloatArithmetic);

}  // namespace tputwin

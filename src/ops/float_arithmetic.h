// float_arithmetic: arithmetic on floating-point operands.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

// add: a + b   sub: a - b   mul: a * b   div: a / b, approximate (f32::div)   mac: (a * b) + out
// max: a > b ? a : b, flushed   min: a <= b ? a : b, not flushed
// lesser: b < a ? b : a, flushed   diff_abs: |a - b|, of NaN with their sign
// add_square: (a + b)^2   sub_square: (a - b)^2   mul_add: (a * b) + c
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
};
std::string_view to_string(FloatArithmetic::Kind kind);

// One element; operands that the kind does not have are not looked at.
float float_arithmetic(FloatArithmetic::Kind kind, DType dtype, float a, float b, float c);

TW_OPERATION(FloatArithmetic);

}  // namespace tputwin

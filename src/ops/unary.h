// unary: functions of one element of any type that need no arithmetic but a sign.
#pragma once

#include "ops/contract.h"

namespace tputwin {

// abs: |x|, wrapping the smallest integer; the sign bit of a float      neg: 0 - x
// relu: x > 0 ? x : 0                                     prelu: x > 0 ? x : alpha * x, floats only
// sign: -1, 0 or 1 of the type                 exponent: the unbiased exponent, to an integer type
//                                              of that width or as a number of the same type
struct Unary {
  enum class Kind : uint8_t { abs, neg, relu, prelu, sign, exponent };
  Kind kind = Kind::abs;
  TensorView out, in;
  uint32_t alpha = 0;  // of prelu: bits of the type
};
std::string_view to_string(Unary::Kind kind);

TW_OPERATION(Unary);

}  // namespace tputwin

// unary: functions of one element of any type that need no arithmetic but a sign.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// abs: |x|, of the smallest integer itself; of floats the sign bit cleared
// neg: 0 - x        relu: x > 0 ? x : 0        prelu: x > 0 ? x : alpha * x, floats only
// sign: 1, 0 or -1 of the type, -1 for NaN
// leading_zeros, leading_ones: how many there are from the highest bit on, of integers
// inverse_root: 1 / sqrt(x) by `steps` Newton steps alone, fp32 only: y = 0x5f3759df - (bits >> 1),
//           then y * (1.5 - (x * 0.5 * y) * y) each; zeros, infinities and negative numbers get no
//           treatment of their own
// exponent: the power of 2 next to a float, of its type, or the exponent field of that as an
//           integer of the same width
struct Unary {
  enum class Kind : uint8_t {
    abs,
    neg,
    relu,
    prelu,
    sign,
    exponent,
    leading_zeros,
    leading_ones,
    inverse_root
  };
  Kind kind = Kind::abs;
  TensorView out, in;
  uint32_t alpha = 0;  // of prelu: bits of the type
  uint32_t steps = 1;  // of inverse_root
};
std::string_view to_string(Unary::Kind kind);

// One element, from its bits to the result's, as Memory::read() and Memory::write() pass them.
int32_t element(const Unary& op, int32_t bits);

TW_OPERATION(Unary);

}  // namespace tputwin

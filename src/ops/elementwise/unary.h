// unary: signs, activations, bit counts and exponents of one element of any type.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// abs: |x|; the smallest integer is unchanged; floats get their sign bit cleared
// neg: 0 - x        relu: x > 0 ? x : 0        prelu: x > 0 ? x : alpha * x, floats only
// sign: 1, 0 or -1 of the type, -1 for NaN
// leading_zeros, leading_ones: number of such bits from the highest bit on, integers only
// inverse_root: 1 / sqrt(x) by `steps` Newton steps alone, fp32 only: y = 0x5f3759df - (bits >> 1),
//           then y * (1.5 - (x * 0.5 * y) * y) each; zeros, infinities and negative numbers get no
//           treatment of their own
// exponent: the power of 2 next to a float, in its type, or the exponent field of that power as an
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
  uint32_t alpha = 0;  // bits of the type, used by prelu
  uint32_t steps = 1;  // used by inverse_root
};
std::string_view to_string(Unary::Kind kind);

// Returns one element. Argument and result are bits as in Memory::read() and Memory::write().
int32_t element(const Unary& op, int32_t bits);

TW_OPERATION(Unary);

}  // namespace tputwin

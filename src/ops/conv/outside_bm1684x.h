// Constants of the BM1684X's windows: values outside the input, and the bias without a tensor.
#pragma once

#include "numerics/float16.h"
#include "ops/contract/attributes.h"
#include "ops/contract/taps.h"

namespace tputwin {

// Returns the value of a tap that is not inside, for a floating-point window.
template <class Op>
float float_outside(const Op& op, TapKind tap) {
  return float_value(tap == TapKind::padding ? op.padding : op.insertion, op.in.dtype);
}

// Adds the constants that are not 0.
template <class Op>
void outside_attributes(const Op& op, AttributeSink& to) {
  if constexpr (requires { op.constant_bias; })
    if (op.constant_bias != 0) to.bits("bias", static_cast<uint32_t>(op.constant_bias));
  if constexpr (std::is_same_v<decltype(op.padding), uint32_t>) {
    if (op.padding != 0) to.bits("padding", op.padding);
    if (op.insertion != 0) to.bits("insertion", op.insertion);
  }
}

}  // namespace tputwin

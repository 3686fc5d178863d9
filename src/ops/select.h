// select: one of two 32-bit values by comparing fp32 operands.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

// out = holds(a, b) ? if_true : if_false, copied bit by bit.
// greater: a > b, false with NaN
// equal_bits: the patterns are equal (NaN equals itself, +0 differs from -0)
// equal: neither a > b nor b > a (NaN equals everything, +0 equals -0, subnormals equal 0)
struct Select {
  enum class Compare : uint8_t { greater, equal_bits, equal };
  Compare compare = Compare::greater;
  TensorView out;
  Source a, b, if_true, if_false;
};
std::string_view to_string(Select::Compare compare);

TW_OPERATION(Select);

}  // namespace tputwin

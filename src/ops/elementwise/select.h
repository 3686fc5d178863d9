// select: one of two 32-bit values by comparing fp32 operands.
#pragma once

#include <optional>

#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin {

// out = holds(a, b) ? if_true : if_false, copied bit by bit; chosen values of another integer type
// are converted.
// extreme: the larger of a and b with `greater`, the smaller with `less`; b with NaN. Subnormals of
//   fp32 and bf16 become 0 there, unless keeps_extreme_bits is set.
// greater, less, at_least, at_most: false with NaN
// equal_value, not_equal: false, true with NaN
// equal_bits: the patterns are equal (NaN equals itself, +0 differs from -0)
// equal: neither a > b nor b > a (NaN equals everything, +0 equals -0, subnormals equal 0)
struct Select {
  enum class Compare : uint8_t {
    greater,
    equal_bits,
    equal,
    less,
    at_least,
    at_most,
    equal_value,
    not_equal
  };
  Compare compare = Compare::greater;
  TensorView out;
  Source a, b, if_true, if_false;
  DType type = DType::f32;  // type of a and b
  std::optional<TensorView> extreme;
  bool keeps_extreme_bits = false;
};
std::string_view to_string(Select::Compare compare);

// Returns true if elements with these bits of a and b choose if_true.
bool chooses_first(const Select& op, int32_t a, int32_t b);

TW_OPERATION(Select);

}  // namespace tputwin

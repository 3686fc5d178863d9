// The operands of a convolution, depthwise or not.
#pragma once

#include "ops/contract/source_operands.h"

namespace tputwin {

// Names of the operands in a vendor's functions.
struct FilterNames {
  std::string_view out, in, weight, bias;
};
inline constexpr FilterNames kBm1880Filter{"ofmap", "ifmap", "weight", "bias"};
inline constexpr FilterNames kFilterAddresses{"output_addr", "input_addr", "weight_addr",
                                              "bias_addr"};

// Returns true if the weights are a tensor, and not one constant.
template <class Op>
bool has_weights(const Op& op) {
  if constexpr (requires { op.constant_weight; }) return !op.constant_weight;
  return true;
}

// Returns result, input, the weight if it is a tensor, the bias if there is one.
template <class Op>
OperandList filter_operands(const Op& op, const FilterNames& names) {
  Access access = Access::write;
  if constexpr (requires { op.accumulate; })
    if (op.accumulate) access = Access::read_write;
  OperandList list{{names.out, &op.out, access}, {names.in, &op.in, Access::read}};
  if constexpr (requires { op.weight.is_constant; })
    add_source(list, names.weight, op.weight);
  else if (has_weights(op))
    list.push_back({names.weight, &op.weight, Access::read});
  if (op.bias) list.push_back({names.bias, &*op.bias, Access::read});
  return list;
}

}  // namespace tputwin

// Gates x * g(x) as layers: each function of g, then the product.
#include "bmnet/targets/bm1684x/functions/divided_gate.h"

#include <fmt/format.h>

#include "bmnet/targets/bm1684x/scalar_steps.h"

namespace tputwin::net::bm1684x {

bool must_divide(const TensorOp& op) {
  return is(op, Op::function) && op.tg_function_param().gate_size() > 0 && scalar_steps(op).empty();
}

std::vector<TensorOp> divided_gate(const TensorOp& gate) {
  std::vector<TensorOp> parts;
  std::string value = gate.bottom(0);
  const auto& functions = gate.tg_function_param().gate();
  for (int i = 0; i < functions.size(); ++i) {
    TensorOp part = functions[i];
    part.set_name(fmt::format("{}/function {}", gate.name(), i));
    part.clear_bottom();
    part.clear_top();
    part.add_bottom(value);
    part.add_top(part.name());
    *part.mutable_input_shape() = gate.input_shape();
    *part.mutable_output_shape() = gate.output_shape();
    value = part.name();
    parts.push_back(std::move(part));
  }
  TensorOp product;
  product.set_name(gate.name() + "/product");
  set_type(product, Op::arithmetic);
  product.mutable_tg_arithmetic_param()->set_operation(::bmnet::TGArithmeticParameter::MUL);
  product.add_bottom(gate.bottom(0));
  product.add_bottom(value);
  product.add_top(gate.top(0));
  for (int i = 0; i < 2; ++i) *product.add_input_shape() = gate.input_shape(0);
  *product.mutable_output_shape() = gate.output_shape();
  parts.push_back(std::move(product));
  return parts;
}

}  // namespace tputwin::net::bm1684x

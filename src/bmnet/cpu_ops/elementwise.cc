// Operators of one value. The coefficient is that of a customized layer, or else of an activation.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

float coefficient(const Call& call, float otherwise) {
  const auto& custom = call.op.tg_customized_param().f32_param();
  const auto& activation = call.op.tg_activation_param().activation_arg();
  return !custom.empty() ? custom.Get(0) : !activation.empty() ? activation.Get(0) : otherwise;
}

template <class Function>
Status each(const Call& call, const Function& function) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  std::transform(call.in[0].data, call.in[0].data + count(call.in[0]), call.out[0].data, function);
  return {};
}

}  // namespace

Status elu(const Call& call) {
  const float alpha = coefficient(call, 1);
  return each(call, [=](float x) { return x > 0 ? x : alpha * (std::exp(x) - 1); });
}

Status leaky_relu(const Call& call) {
  const float slope = coefficient(call, 0);
  return each(call, [=](float x) { return x > 0 ? x : slope * x; });
}

Status identity(const Call& call) {
  return each(call, [](float x) { return x; });
}

}  // namespace tputwin::net::cpu

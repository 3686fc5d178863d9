// The functions that the TPU computes with look-up tables.
#include "bmnet/cpu_ops/table_function.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bmnet/ir/ops.h"
#include "host/functions.h"

namespace tputwin::net {
namespace {

// Returns x * g(x). The steps of g are no gates themselves.
std::function<float(float)> gate_function(const ::bmnet::TGFunctionParameter& p) {
  std::vector<std::function<float(float)>> steps;
  for (const TensorOp& step : p.gate()) {
    if (step.tg_function_param().gate_size() > 0) return nullptr;
    steps.push_back(table_function(step));
    if (steps.back() == nullptr) return nullptr;
  }
  return [steps = std::move(steps)](float x) {
    float g = x;
    for (const auto& step : steps) g = step(g);
    return x * g;
  };
}

}  // namespace

std::function<float(float)> table_function(const TensorOp& op) {
  if (is(op, Op::power)) {
    const auto& p = op.tg_power_param();
    return [power = p.power(), scale = p.scale(), shift = p.shift()](float x) {
      // Without the branch, 0 + -0 would lose the sign of -0.
      const float inner = shift == 0 ? scale * x : shift + scale * x;
      return power == 1 ? inner : std::pow(inner, power);
    };
  }
  if (is(op, Op::function)) {
    const auto& p = op.tg_function_param();
    if (p.gate_size() > 0) return gate_function(p);
    return host::named_function(p.name(), {p.arg().data(), static_cast<size_t>(p.arg_size())});
  }
  if (is(op, Op::clip))
    return [least = op.tg_clip_param().min(), most = op.tg_clip_param().max()](float x) {
      return std::min(std::max(x, least), most);
    };
  if (!is(op, Op::activation)) return nullptr;
  const auto& p = op.tg_activation_param();
  switch (p.activation()) {
    case ::bmnet::SIGMOID:
      return [](float x) { return 1.0f / (1.0f + std::exp(-x)); };
    case ::bmnet::TANH:
      return [](float x) { return std::tanh(x); };
    case ::bmnet::ABS:
      return [](float x) { return std::fabs(x); };
    case ::bmnet::ELU:
      return [alpha = p.activation_arg_size() > 0 ? p.activation_arg(0) : 1.0f](float x) {
        return x >= 0 ? x : alpha * (std::exp(x) - 1.0f);
      };
    default:
      return nullptr;
  }
}

}  // namespace tputwin::net

// The steps of activations and functions.
#include "bmnet/targets/bm1684x/scalar_steps.h"

#include <algorithm>
#include <cmath>

#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

using Kind = ScalarStep::Kind;
using Function = FloatFunction::Kind;
using Steps = std::vector<ScalarStep>;
using Arguments = const float*;

ScalarStep add(float c) { return {.kind = Kind::add, .constant = c}; }
ScalarStep multiply(float c) { return {.kind = Kind::multiply, .constant = c}; }
ScalarStep at_least(float c) { return {.kind = Kind::at_least, .constant = c}; }
ScalarStep at_most(float c) { return {.kind = Kind::at_most, .constant = c}; }
ScalarStep leaky(float slope) { return {.kind = Kind::leaky, .constant = slope}; }
ScalarStep call(Function f) { return {.function = f}; }
ScalarStep elu(float alpha) { return {.function = Function::elu, .parameters = {.alpha = alpha}}; }
ScalarStep swish(float beta) { return {.function = Function::swish, .parameters = {.beta = beta}}; }
ScalarStep softplus() { return {.function = Function::softplus, .parameters = {.beta = 1}}; }
ScalarStep round(Rounding rounding) { return {.kind = Kind::round, .rounding = rounding}; }
ScalarStep is(float c, float other) { return {.kind = Kind::is, .constant = c, .other = other}; }
ScalarStep is_above(float c, float other) {
  return {.kind = Kind::is_above, .constant = c, .other = other};
}
constexpr ScalarStep kGate{.kind = Kind::gate};
constexpr ScalarStep kBase{.kind = Kind::base};
ScalarStep nan_below(float c) { return {.kind = Kind::nan_below, .constant = c}; }
ScalarStep at_zero(float c) { return {.kind = Kind::at_zero, .constant = c}; }

// The chips' root of infinity has the wrong sign.
Steps root() { return {call(Function::sqrt), {.kind = Kind::absolute}, nan_below(0)}; }

bool reads_base(const ScalarStep& s) {
  return s.kind == Kind::nan_below || s.kind == Kind::at_zero || s.kind == Kind::at_least_base ||
         s.kind == Kind::gate;
}

ScalarStep power_of(float base) {
  return {.function = Function::c_pow,
          .parameters = {.alpha = static_cast<float>(std::log(double{base}))}};
}

// A whole number of `bits`. Those of 32 bits and more are not cut off: tensors hold no such values.
Steps integer(int bits, bool is_signed, bool rounds) {
  Steps steps = {round(rounds ? Rounding::half_even : Rounding::toward_zero)};
  const float range = std::ldexp(1.0f, bits);
  if (bits < 32)
    steps.push_back({.kind = Kind::wrap, .constant = range, .other = is_signed ? -range / 2 : 0});
  return steps;
}

// None, one or both of the infinities.
Steps is_infinite(bool negative, bool positive) {
  if (!negative && !positive) return {multiply(0)};
  return {is(negative ? -INFINITY : INFINITY, positive ? INFINITY : -INFINITY)};
}

struct NamedSteps {
  std::string_view name;
  Steps (*steps)(Arguments a);
};
constexpr NamedSteps kFunctions[] = {
    {"acosh",
     [](Arguments) -> Steps {
       return {call(Function::arccosh), nan_below(1)};
     }},
    {"ceil", [](Arguments) -> Steps { return {round(Rounding::up)}; }},
    {"celu",
     [](Arguments a) -> Steps {
       return {multiply(1 / a[0]), elu(1), multiply(a[0])};
     }},
    {"cos", [](Arguments) -> Steps { return {call(Function::cos)}; }},
    {"cosh", [](Arguments) -> Steps { return {call(Function::cosh)}; }},
    {"erf", [](Arguments) -> Steps { return {call(Function::erf)}; }},
    {"exp", [](Arguments) -> Steps { return {call(Function::exp)}; }},
    {"exponential", [](Arguments a) -> Steps { return {power_of(a[0])}; }},
    {"finite", [](Arguments) -> Steps { return {{.kind = Kind::finite}}; }},
    {"floor", [](Arguments) -> Steps { return {round(Rounding::down)}; }},
    {"gelu", [](Arguments) -> Steps { return {call(Function::gelu)}; }},
    {"gelu_tanh", [](Arguments) -> Steps { return {call(Function::gelu_fast)}; }},
    {"hard_sigmoid",
     [](Arguments a) -> Steps {
       return {multiply(a[0]), add(a[1]), at_least(0), at_most(1)};
     }},
    {"hard_swish",
     [](Arguments) -> Steps {
       return {add(3), at_least(0), at_most(6), multiply(1.0f / 6), kGate};
     }},
    {"integer", [](Arguments a) { return integer(static_cast<int>(a[0]), a[1] != 0, a[2] != 0); }},
    {"is_infinite", [](Arguments a) { return is_infinite(a[0] != 0, a[1] != 0); }},
    {"is_nan", [](Arguments) -> Steps { return {{.kind = Kind::is_nan}}; }},
    {"is_not_negative", [](Arguments) -> Steps { return {is_above(0, 0)}; }},
    {"is_not_zero", [](Arguments) -> Steps { return {{.kind = Kind::is_not}}; }},
    {"is_positive", [](Arguments) -> Steps { return {is_above(0, INFINITY)}; }},
    {"is_zero", [](Arguments) -> Steps { return {is(0, 0)}; }},
    {"log",
     [](Arguments) -> Steps {
       return {call(Function::log), nan_below(0), at_zero(-INFINITY)};
     }},
    {"mish", [](Arguments) -> Steps { return {call(Function::mish)}; }},
    {"round", [](Arguments) -> Steps { return {round(Rounding::half_even)}; }},
    {"selu",
     [](Arguments a) -> Steps {
       return {elu(a[0]), multiply(a[1])};
     }},
    {"sign", [](Arguments) -> Steps { return {{.kind = Kind::sign}}; }},
    {"sin", [](Arguments) -> Steps { return {call(Function::sin)}; }},
    {"sinh", [](Arguments) -> Steps { return {call(Function::sinh)}; }},
    // The library's function ends at 84.7, and equals its argument before.
    {"softplus",
     [](Arguments) -> Steps {
       return {softplus(), {.kind = Kind::at_least_base}};
     }},
    {"softsign", [](Arguments) -> Steps { return {call(Function::softsign)}; }},
    {"sqrt", [](Arguments) { return root(); }},
    {"swish", [](Arguments a) -> Steps { return {swish(a[0])}; }},
    {"thresholded_relu",
     [](Arguments a) -> Steps { return {{.kind = Kind::above, .constant = a[0]}}; }},
    {"tan", [](Arguments) -> Steps { return {call(Function::tan)}; }},
};

Steps named(const ::bmnet::TGFunctionParameter& p) {
  for (const NamedSteps& f : kFunctions)
    if (f.name == p.name()) return f.steps(p.arg().data());
  return {};
}

// (shift + scale * x)^power
Steps power(const ::bmnet::TGPowerParameter& p) {
  Steps steps;
  if (p.scale() != 1) steps.push_back(multiply(p.scale()));
  if (p.shift() != 0) steps.push_back(add(p.shift()));
  if (!steps.empty() && p.power() != std::trunc(p.power())) steps.push_back(kBase);
  if (p.power() == 2) {
    steps.push_back({.kind = Kind::square});
  } else if (p.power() == 0.5f) {
    const Steps all = root();
    steps.insert(steps.end(), all.begin(), all.end());
  } else if (p.power() == -0.5f) {
    steps.push_back(call(Function::rsqrt));
    steps.push_back(nan_below(0));
  } else if (p.power() == -1) {
    steps.push_back({.constant = 1, .function = Function::div});
  } else if (p.power() == 3 && steps.empty()) {
    steps = {{.kind = Kind::square}, kGate};
  } else if (p.power() == 4) {
    steps.insert(steps.end(), 2, {.kind = Kind::square});
  } else if (p.power() != 1) {
    // The library's power is defined for positive bases, as is that of a fraction.
    if (p.power() == std::trunc(p.power())) return {};
    steps.push_back({.constant = p.power(), .function = Function::pow});
    steps.push_back(nan_below(0));
    steps.push_back(at_zero(p.power() > 0 ? 0 : INFINITY));
  }
  if (steps.empty()) steps.push_back(multiply(1));
  return steps;
}

Steps activation(const ::bmnet::TGActivationParameter& p) {
  const float argument = p.activation_arg_size() > 0 ? p.activation_arg(0) : 0;
  switch (p.activation()) {
    case ::bmnet::RELU:
      return argument == 0 ? Steps{at_least(0)} : Steps{leaky(argument)};
    case ::bmnet::SIGMOID:
      return {call(Function::sigmoid)};
    case ::bmnet::TANH:
      return {call(Function::tanh)};
    case ::bmnet::ABS:
      return {{.kind = Kind::absolute}};
    case ::bmnet::ELU:
      return {elu(p.activation_arg_size() > 0 ? argument : 1)};
    default:
      return {};
  }
}

bool is_sigmoid(const TensorOp& op) {
  return is(op, Op::activation) && op.tg_activation_param().activation() == ::bmnet::SIGMOID;
}

// x * g(x): the steps of each function of g, then the product. A function that destroys its
// argument would destroy x; such a gate is divided, as are those with functions that have no steps.
Steps gate(const ::bmnet::TGFunctionParameter& p) {
  if (p.gate_size() == 1 && is_sigmoid(p.gate(0))) return {call(Function::silu)};
  Steps all;
  for (const TensorOp& function : p.gate()) {
    const Steps steps = scalar_steps(function);
    const bool destroys = std::ranges::any_of(steps, [](const ScalarStep& s) {
      return s.kind == Kind::function && destroys_source(s.function);
    });
    if (steps.empty() || destroys) return {};
    if (!all.empty() && std::ranges::any_of(steps, reads_base)) all.push_back(kBase);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  all.push_back({.kind = Kind::gate_first});
  return all;
}

}  // namespace

std::vector<ScalarStep> scalar_steps(const TensorOp& op) {
  if (is(op, Op::power)) return power(op.tg_power_param());
  if (is(op, Op::clip)) {
    Steps steps;
    const auto& p = op.tg_clip_param();
    steps.push_back(at_least(p.min()));
    steps.push_back(at_most(p.max()));
    return steps;
  }
  if (is(op, Op::activation)) return activation(op.tg_activation_param());
  if (!is(op, Op::function)) return {};
  const auto& p = op.tg_function_param();
  return p.gate_size() > 0 ? gate(p) : named(p);
}

bool are_fp32(const Steps& steps, DType type) {
  if (type == DType::f32) return true;
  int roundings = 0;
  for (const ScalarStep& s : steps) {
    if (s.kind == Kind::function || s.kind == Kind::wrap) return true;
    // Recordings have the choice between a constant and a tensor in fp32 alone.
    if (s.kind == Kind::sign || s.kind == Kind::nan_below) return true;
    const bool has_factor =
        s.kind == Kind::add || s.kind == Kind::multiply || s.kind == Kind::leaky;
    if (has_factor && round_to(s.constant, type) != s.constant) return true;
    roundings +=
        has_factor || s.kind == Kind::square || s.kind == Kind::gate || s.kind == Kind::gate_first
            ? 1
            : 0;
  }
  return roundings > 1;
}

}  // namespace tputwin::net::bm1684x

// Functions of one value, in float. The TPU computes them with look-up tables.
#include "host/functions.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

namespace tputwin::host {
namespace {

using Arguments = const float*;

float half_to_even(float x) { return std::nearbyint(x); }

float shrink(float x, float lambda, float bias) {
  return x < -lambda ? x + bias : x > lambda ? x - bias : 0.0f;
}

float softplus(float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::fabs(x))); }

constexpr float kRootHalf = 0.70710678f, kRootOfTwoByPi = 0.79788456f;

float gelu_tanh(float x) {
  return 0.5f * x * (1 + std::tanh(kRootOfTwoByPi * (x + 0.044715f * x * x * x)));
}

// Converts to an integer of ONNX as ONNX Runtime does on x86: what the processor's integer does not
// hold becomes its lowest one, and the lowest `bits` of it remain. 300.5 -> uint8: 44.
float integer(float x, int bits, bool is_signed, bool rounds) {
  const double whole = rounds ? std::nearbyint(double{x}) : std::trunc(double{x});
  const int held = bits < 32 || (bits == 32 && is_signed) ? 32 : 64;
  const double limit = std::ldexp(1.0, held - 1), range = std::ldexp(1.0, bits);
  const double value = whole >= -limit && whole < limit ? whole : -limit;
  if (bits == held && is_signed) return static_cast<float>(value + 0.0);
  const double rest = value - range * std::floor(value / range);
  return static_cast<float>(is_signed && rest >= range / 2 ? rest - range : rest);
}

struct NamedFunction {
  std::string_view name;
  int arguments;
  float (*value)(float x, Arguments a);
};

constexpr NamedFunction kFunctions[] = {
    {"acos", 0, [](float x, Arguments) { return std::acos(x); }},
    {"acosh", 0, [](float x, Arguments) { return std::acosh(x); }},
    {"asin", 0, [](float x, Arguments) { return std::asin(x); }},
    {"asinh", 0, [](float x, Arguments) { return std::asinh(x); }},
    {"atan", 0, [](float x, Arguments) { return std::atan(x); }},
    {"atanh", 0, [](float x, Arguments) { return std::atanh(x); }},
    {"ceil", 0, [](float x, Arguments) { return std::ceil(x); }},
    {"celu", 1,
     [](float x, Arguments a) { return x > 0 ? x : a[0] * std::expm1(x / a[0]) + 0.0f; }},
    {"cos", 0, [](float x, Arguments) { return std::cos(x); }},
    {"cosh", 0, [](float x, Arguments) { return std::cosh(x); }},
    {"erf", 0, [](float x, Arguments) { return std::erf(x); }},
    {"exp", 0, [](float x, Arguments) { return std::exp(x); }},
    {"exponential", 1, [](float x, Arguments a) { return std::pow(a[0], x); }},
    {"finite", 0, [](float x, Arguments) { return std::isinf(x) ? std::copysign(FLT_MAX, x) : x; }},
    {"floor", 0, [](float x, Arguments) { return std::floor(x); }},
    {"gelu", 0, [](float x, Arguments) { return 0.5f * x * (1 + std::erf(x * kRootHalf)); }},
    {"gelu_tanh", 0, [](float x, Arguments) { return gelu_tanh(x); }},
    {"hard_sigmoid", 2,
     [](float x, Arguments a) { return std::clamp(a[0] * x + a[1], 0.0f, 1.0f); }},
    {"hard_swish", 0,
     [](float x, Arguments) { return x * std::clamp(x / 6.0f + 0.5f, 0.0f, 1.0f); }},
    {"integer", 3,
     [](float x, Arguments a) { return integer(x, static_cast<int>(a[0]), a[1] != 0, a[2] != 0); }},
    {"is_infinite", 2,
     [](float x, Arguments a) {
       return (a[0] != 0 && x == -INFINITY) || (a[1] != 0 && x == INFINITY) ? 1.0f : 0.0f;
     }},
    {"is_nan", 0, [](float x, Arguments) { return std::isnan(x) ? 1.0f : 0.0f; }},
    {"is_not_negative", 0, [](float x, Arguments) { return x >= 0 ? 1.0f : 0.0f; }},
    {"is_not_zero", 0, [](float x, Arguments) { return x != 0 ? 1.0f : 0.0f; }},
    {"is_positive", 0, [](float x, Arguments) { return x > 0 ? 1.0f : 0.0f; }},
    {"is_zero", 0, [](float x, Arguments) { return x == 0 ? 1.0f : 0.0f; }},
    {"log", 0, [](float x, Arguments) { return std::log(x); }},
    {"mish", 0, [](float x, Arguments) { return x * std::tanh(softplus(x)); }},
    {"round", 0, [](float x, Arguments) { return half_to_even(x); }},
    {"selu", 2,
     [](float x, Arguments a) { return a[1] * (x > 0 ? x : a[0] * std::expm1(x) + 0.0f); }},
    {"shrink", 2, [](float x, Arguments a) { return shrink(x, a[0], a[1]); }},
    {"sign", 0,
     [](float x, Arguments) {
       return x > 0 ? 1.0f : x < 0 ? -1.0f : std::isnan(x) ? x : 0.0f;
     }},
    {"sin", 0, [](float x, Arguments) { return std::sin(x); }},
    {"sinh", 0, [](float x, Arguments) { return std::sinh(x); }},
    {"softplus", 0, [](float x, Arguments) { return softplus(x); }},
    {"softsign", 0, [](float x, Arguments) { return x / (1 + std::fabs(x)); }},
    {"sqrt", 0, [](float x, Arguments) { return std::sqrt(x); }},
    {"swish", 1, [](float x, Arguments a) { return x / (1 + std::exp(-a[0] * x)); }},
    {"tan", 0, [](float x, Arguments) { return std::tan(x); }},
    {"thresholded_relu", 1, [](float x, Arguments a) { return x > a[0] ? x : 0.0f; }},
};

const NamedFunction* find_function(std::string_view name) {
  for (const NamedFunction& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const NamedFunction& function : kFunctions) names.push_back(function.name);
  return names;
}

int function_arguments(std::string_view name) {
  const NamedFunction* function = find_function(name);
  return function == nullptr ? -1 : function->arguments;
}

std::function<float(float)> named_function(std::string_view name,
                                           std::span<const float> arguments) {
  const NamedFunction* function = find_function(name);
  if (function == nullptr || static_cast<int>(arguments.size()) != function->arguments)
    return nullptr;
  return [value = function->value, given = std::vector<float>(arguments.begin(), arguments.end())](
             float x) { return value(x, given.data()); };
}

}  // namespace tputwin::host

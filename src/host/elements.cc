// Arithmetic and comparisons of two arrays with broadcast shapes, and functions of one value, as
// ONNX has them. A comparison is 0 or 1. Integers of the model are fp32 here; with integers=1,
// results that fp32 cannot hold are an error.
#include <algorithm>
#include <cmath>

#include "host/broadcast.h"
#include "host/functions.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

using Binary = float (*)(float, float);
using Unary = float (*)(float, const float*);

// ONNX Mod without fmod: the result has the sign of the divisor.
float floor_mod(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
// NaN in an operand is the result.
float larger(float a, float b) { return std::isnan(a) || a > b ? a : b; }
float smaller(float a, float b) { return std::isnan(a) || a < b ? a : b; }

struct BinaryRow {
  std::string_view name;
  Binary function;
};
constexpr BinaryRow kBinary[] = {
    {"add", [](float a, float b) { return a + b; }},
    {"sub", [](float a, float b) { return a - b; }},
    {"mul", [](float a, float b) { return a * b; }},
    {"div", [](float a, float b) { return a / b; }},
    {"pow", [](float a, float b) { return std::pow(a, b); }},
    {"max", larger},
    {"min", smaller},
    {"mod", floor_mod},
    {"fmod", [](float a, float b) { return std::fmod(a, b); }},
    {"trunc_div",
     [](float a, float b) { return static_cast<float>(std::trunc(double{a} / double{b})); }},
    {"equal", [](float a, float b) { return a == b ? 1.0F : 0.0F; }},
    {"greater", [](float a, float b) { return a > b ? 1.0F : 0.0F; }},
    {"greater_or_equal", [](float a, float b) { return a >= b ? 1.0F : 0.0F; }},
    {"less", [](float a, float b) { return a < b ? 1.0F : 0.0F; }},
    {"less_or_equal", [](float a, float b) { return a <= b ? 1.0F : 0.0F; }},
    {"and", [](float a, float b) { return a != 0 && b != 0 ? 1.0F : 0.0F; }},
    {"or", [](float a, float b) { return a != 0 || b != 0 ? 1.0F : 0.0F; }},
    {"xor", [](float a, float b) { return (a != 0) != (b != 0) ? 1.0F : 0.0F; }},
};

struct BitRow {
  std::string_view name;
  int64_t (*function)(int64_t, int64_t);
};
// A shift by more bits than a result can have gives 0, or an error.
constexpr int64_t kMostShift = 32;
constexpr BitRow kBits[] = {
    {"bit_and", [](int64_t a, int64_t b) { return a & b; }},
    {"bit_or", [](int64_t a, int64_t b) { return a | b; }},
    {"bit_xor", [](int64_t a, int64_t b) { return a ^ b; }},
    {"shift_left",
     [](int64_t a, int64_t b) {
       return a * (int64_t{1} << std::clamp<int64_t>(b, 0, kMostShift));
     }},
    {"shift_right",
     [](int64_t a, int64_t b) { return a >> std::clamp<int64_t>(b, 0, kMostShift); }},
};

// Returns the result on integers of fp32 without rounding it to one.
double exact_result(std::string_view name, double a, double b) {
  return name == "add" ? a + b : name == "sub" ? a - b : name == "mul" ? a * b : std::pow(a, b);
}

// Functions that are no tg_function of the compiler. functions.h has the others.
struct UnaryRow {
  std::string_view name;
  size_t arguments;
  Unary function;
};
constexpr UnaryRow kUnary[] = {
    {"abs", 0, [](float x, const float*) { return std::fabs(x); }},
    {"elu", 1, [](float x, const float* a) { return x > 0 ? x : a[0] * std::expm1(x) + 0.0F; }},
    {"identity", 0, [](float x, const float*) { return x; }},
    {"leaky_relu", 1, [](float x, const float* a) { return x < 0 ? a[0] * x : x; }},
    {"neg", 0, [](float x, const float*) { return -x; }},
    {"not", 0, [](float x, const float*) { return x != 0 ? 0.0F : 1.0F; }},
    {"reciprocal", 0, [](float x, const float*) { return 1 / x; }},
    {"relu", 0, [](float x, const float*) { return x < 0 ? 0.0F : x; }},
    {"sigmoid", 0, [](float x, const float*) { return 1 / (1 + std::exp(-x)); }},
    {"tanh", 0, [](float x, const float*) { return std::tanh(x); }},
    {"trunc", 0, [](float x, const float*) { return std::trunc(x); }},
};

// Returns the row that the parameter `op` names; nullptr, and an error, if there is none.
const BinaryRow* row_of(Parameters& parameters) {
  const std::string name = parameters.text("op");
  const auto* found = std::ranges::find(kBinary, name, &BinaryRow::name);
  parameters.require(found != std::end(kBinary), "op",
                     "it is a function of docs/host-operators.md");
  return found == std::end(kBinary) ? nullptr : found;
}

// Sets each element of the result to compute(x, y) of two elements, whose shapes are broadcast.
template <class Compute>
Status for_each_pair(Call& call, const Compute& compute) {
  const auto shape = broadcast(call.shape(0), call.shape(1));
  if (!shape) return call.fail("the shapes go together");
  TW_ASSIGN_OR_RETURN(a, call.floats(0));
  TW_ASSIGN_OR_RETURN(b, call.floats(1));
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, *shape));
  const auto of_a = broadcast_offsets(call.shape(0), *shape);
  const auto of_b = broadcast_offsets(call.shape(1), *shape);
  for (size_t i = 0; i < out.size(); ++i) {
    TW_ASSIGN_OR_RETURN(result, compute(a[of_a[i]], b[of_b[i]]));
    out[i] = result;
  }
  return {};
}

// Operators on the bits of integers. Results have the lowest `width` bits, or all if that is 0.
OperatorFunction make_bits(Parameters& parameters, const BitRow& row) {
  constexpr int64_t kMostWidth = 16;
  const int64_t width = parameters.integer("width", 0, 0, kMostWidth);
  return [=, function = row.function](Call& call) -> Status {
    return for_each_pair(call, [&](float x, float y) -> Result<float> {
      if (x != std::trunc(x) || y != std::trunc(y)) return call.fail("operands are integers");
      TW_RETURN_IF_ERROR(call.require_exact(x));
      TW_RETURN_IF_ERROR(call.require_exact(y));
      int64_t result = function(static_cast<int64_t>(x), static_cast<int64_t>(y));
      if (width != 0) result &= (int64_t{1} << width) - 1;
      TW_RETURN_IF_ERROR(call.require_exact(static_cast<double>(result)));
      return static_cast<float>(result);
    });
  };
}

}  // namespace

OperatorFunction make_binary(Parameters& parameters) {
  const auto* bits = std::ranges::find(kBits, parameters.text("op"), &BitRow::name);
  if (bits != std::end(kBits)) return make_bits(parameters, *bits);
  const BinaryRow* row = row_of(parameters);
  const bool are_integers = parameters.flag("integers", false);
  const bool can_grow = row != nullptr && (row->name == "add" || row->name == "sub" ||
                                           row->name == "mul" || row->name == "pow");
  parameters.require(!are_integers || can_grow, "integers", "it is for add, sub, mul and pow");
  return [=](Call& call) -> Status {
    return for_each_pair(call, [&](float x, float y) -> Result<float> {
      if (are_integers) TW_RETURN_IF_ERROR(call.require_exact(exact_result(row->name, x, y)));
      return row->function(x, y);
    });
  };
}

namespace {

// Returns the function of a name; nullptr if there is none, or it has another number of arguments.
std::function<float(float)> unary_function(const std::string& name,
                                           const std::vector<float>& arguments) {
  const auto* row = std::ranges::find(kUnary, name, &UnaryRow::name);
  if (row == std::end(kUnary)) return named_function(name, arguments);
  if (row->arguments != arguments.size()) return nullptr;
  return [function = row->function, arguments](float x) { return function(x, arguments.data()); };
}

}  // namespace

OperatorFunction make_unary(Parameters& parameters) {
  const std::string name = parameters.text("op");
  const auto function = unary_function(name, parameters.list("arguments"));
  const bool is_known =
      function_arguments(name) >= 0 || std::ranges::count(kUnary, name, &UnaryRow::name) != 0;
  parameters.require(is_known, "op", "it is a function of docs/host-operators.md");
  parameters.require(!is_known || function != nullptr, "arguments",
                     "as many numbers as the function has");
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(in, call.floats(0));
    TW_ASSIGN_OR_RETURN(out, call.float_output(0, call.shape(0)));
    std::ranges::transform(in, out.begin(), function);
    return {};
  };
}

}  // namespace tputwin::host

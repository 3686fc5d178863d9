// Functions of one value, reductions and softmax on the host, as one or several of its operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

// An attribute of ONNX that is an argument of the function.
struct Argument {
  std::string_view name;
  float otherwise;
};
struct FunctionRow {
  std::string_view onnx, host;
  std::vector<Argument> arguments;
};

const std::vector<FunctionRow>& functions() {
  static const std::vector<FunctionRow> rows{
      {"Abs", "abs", {}},
      {"Acos", "acos", {}},
      {"Acosh", "acosh", {}},
      {"Asin", "asin", {}},
      {"Asinh", "asinh", {}},
      {"Atan", "atan", {}},
      {"Atanh", "atanh", {}},
      {"Ceil", "ceil", {}},
      {"Celu", "celu", {{"alpha", 1}}},
      {"Cos", "cos", {}},
      {"Cosh", "cosh", {}},
      {"Elu", "elu", {{"alpha", 1}}},
      {"Erf", "erf", {}},
      {"Exp", "exp", {}},
      {"Floor", "floor", {}},
      {"HardSigmoid", "hard_sigmoid", {{"alpha", 0.2f}, {"beta", 0.5f}}},
      {"HardSwish", "hard_swish", {}},
      {"Identity", "identity", {}},
      {"IsNaN", "is_nan", {}},
      {"LeakyRelu", "leaky_relu", {{"alpha", 0.01f}}},
      {"Log", "log", {}},
      {"Mish", "mish", {}},
      {"Neg", "neg", {}},
      {"Not", "not", {}},
      {"Reciprocal", "reciprocal", {}},
      {"Relu", "relu", {}},
      {"Round", "round", {}},
      {"Selu",
       "selu",
       {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}},
      {"Shrink", "shrink", {{"lambd", 0.5f}, {"bias", 0}}},
      {"Sigmoid", "sigmoid", {}},
      {"Sign", "sign", {}},
      {"Sin", "sin", {}},
      {"Sinh", "sinh", {}},
      {"Softplus", "softplus", {}},
      {"Softsign", "softsign", {}},
      {"Sqrt", "sqrt", {}},
      {"Swish", "swish", {{"alpha", 1}}},
      {"Tan", "tan", {}},
      {"Tanh", "tanh", {}},
      {"ThresholdedRelu", "thresholded_relu", {{"alpha", 1}}},
  };
  return rows;
}

void unary_with(Node& node, std::string_view function, const std::vector<float>& arguments) {
  HostCall call(node, fmt::format("unary op={}", function));
  if (!arguments.empty()) call.append(fmt::format("arguments={}", fmt::join(arguments, ",")));
  call.take(0);
  call.set_elements(node.dims());
}

// The axes as an input; "" for all of them.
std::string axes_of(const Node& node, Expansion& made) {
  const auto axes = node.list(1, "axes");
  return axes && !axes->empty() ? made.integers(*axes) : "";
}

std::string sum_over(const Node& node, Expansion& made, const std::string& x) {
  const std::string y =
      made.add("ReduceSum", {x, axes_of(node, made)}, {{"keepdims", node.integer("keepdims", 1)}});
  made.copy_attribute("noop_with_empty_axes");
  return y;
}

// The largest values, which the exponents do not exceed then; 0 where they are infinite.
std::string finite_largest(Expansion& made, const std::string& x, const std::string& axes,
                           int64_t keeps) {
  const std::string most = made.add("ReduceMax", {x, axes}, {{"keepdims", keeps}});
  return made.add("Where", {made.add("IsInf", {most}), made.real(0), most});
}

void log_sum_exp(Node& node) {
  const bool reduces_none =
      node.integer("noop_with_empty_axes", 0) != 0 && node.list(1, "axes").value_or(Dims()).empty();
  Expansion made(node);
  const std::string x = made.in(0);
  if (reduces_none) return made.set(made.add("Identity", {x}));
  const int64_t keeps = node.integer("keepdims", 1);
  const std::string axes = axes_of(node, made), most = finite_largest(made, x, axes, 1);
  const std::string powers = made.add("Exp", {made.add("Sub", {x, most})});
  const std::string logs =
      made.add("Log", {made.add("ReduceSum", {powers, axes}, {{"keepdims", keeps}})});
  made.set(made.add("Add", {logs, keeps != 0 ? most : finite_largest(made, x, axes, 0)}));
}

// Returns false for other operators.
bool sums_of_host(Node& node) {
  const std::string& type = node.proto.op_type();
  if (!type.starts_with("Reduce")) return false;
  const bool has_fractions =
      type == "ReduceL2" || type == "ReduceLogSum" || type == "ReduceLogSumExp";
  node.require(!has_fractions || node.in(0).kind != ValueKind::integer, "type", "integers",
               "floats: ONNX drops the fractions of integers; put a Cast to floats before it");
  if (type == "ReduceLogSumExp") {
    log_sum_exp(node);
    return true;
  }
  Expansion made(node);
  const std::string x = made.in(0);
  if (type == "ReduceL1")
    made.set(sum_over(node, made, made.add("Abs", {x})));
  else if (type == "ReduceSumSquare")
    made.set(sum_over(node, made, made.add("Mul", {x, x})));
  else if (type == "ReduceL2")
    made.set(made.add("Sqrt", {sum_over(node, made, made.add("Mul", {x, x}))}));
  else if (type == "ReduceLogSum")
    made.set(made.add("Log", {sum_over(node, made, x)}));
  else
    return false;
  return true;
}

}  // namespace

bool is_function_of_host(std::string_view type) {
  constexpr std::string_view kSums[] = {"ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
                                        "ReduceLogSumExp"};
  return std::ranges::find(functions(), type, &FunctionRow::onnx) != functions().end() ||
         std::ranges::find(kSums, type) != std::end(kSums);
}

bool function_of_host(Node& node) {
  const auto row = std::ranges::find(functions(), node.proto.op_type(), &FunctionRow::onnx);
  if (row == functions().end()) return sums_of_host(node);
  std::vector<float> arguments;
  for (const Argument& argument : row->arguments)
    arguments.push_back(node.real(argument.name, argument.otherwise));
  unary_with(node, row->host, arguments);
  return true;
}

void gelu_of_host(Node& node) {
  const std::string approximate = node.text("approximate", "none");
  node.require(approximate == "none" || approximate == "tanh", "approximate", approximate,
               "none or tanh");
  unary_with(node, approximate == "tanh" ? "gelu_tanh" : "gelu", {});
}

// -1 - x, or the largest number of the type less x if it has no sign.
void import_bitwise_not(Node& node) {
  const int type = kind_of_results(node).integer_type;
  const bool has_sign = type == 0 || is_signed_type(type);
  node.require(has_sign || bits_of(type) <= 16, "type", std::to_string(type),
               "int8 to int64, uint8 or uint16: others have results above 2^24, which are no "
               "numbers of fp32; put a Cast to int64 before it");
  Expansion made(node);
  const int64_t most = has_sign ? -1 : (int64_t{1} << bits_of(type)) - 1;
  made.set(made.add("Sub", {made.integer(most), made.in(0)}));
}

void is_inf_of_host(Node& node) {
  unary_with(node, "is_infinite",
             {static_cast<float>(node.integer("detect_negative", 1)),
              static_cast<float>(node.integer("detect_positive", 1))});
}

// Exponents are at most 0. Before opset 13 all axes from `axis` on are one.
void softmax_of_host(Node& node, bool log) {
  const Dims& x = node.dims();
  const bool one_axis = node.opset >= 13;
  node.require(!x.empty(), "axes", "0", "at least 1");
  const size_t axis = node.axis(node.integer("axis", one_axis ? -1 : 1), x.size());
  Dims over;
  for (size_t i = axis; i < (one_axis ? axis + 1 : x.size()); ++i)
    over.push_back(static_cast<int64_t>(i));
  Expansion made(node);
  const std::string axes = made.integers(over);
  const auto reduced = [&](const char* type, const std::string& of) {
    return made.add(type, {of, axes}, {{"keepdims", int64_t{1}}});
  };
  const std::string rest = made.add("Sub", {made.in(0), reduced("ReduceMax", made.in(0))});
  const std::string powers = made.add("Exp", {rest}), sum = reduced("ReduceSum", powers);
  made.set(log ? made.add("Sub", {rest, made.add("Log", {sum})}) : made.add("Div", {powers, sum}));
}

// Several operands, one after the other.
void operands_of_host(Node& node, const char* type) {
  Expansion made(node);
  const bool is_mean = std::string_view(type) == "Mean";
  std::string y = made.in(0);
  for (size_t i = 1; i < node.inputs(); ++i)
    y = made.add(is_mean || std::string_view(type) == "Sum" ? "Add" : type, {y, made.in(i)});
  if (is_mean) y = made.add("Mul", {y, made.real(1 / static_cast<float>(node.inputs()))});
  made.set(!is_mean && node.inputs() == 1 ? made.add("Identity", {y}) : y);
}

}  // namespace tputwin::net::onnx_reader

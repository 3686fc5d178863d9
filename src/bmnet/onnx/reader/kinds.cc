// Kinds of tensors, declared in kinds.h.
#include "bmnet/onnx/reader/kinds.h"

#include "bmnet/onnx/reader/expansion.h"

#include <algorithm>

namespace tputwin::net::onnx_reader {
namespace {

constexpr std::string_view kBoolean[] = {"Equal",       "Greater", "Less", "GreaterOrEqual",
                                         "LessOrEqual", "And",     "Or",   "Xor",
                                         "Not",         "IsNaN",   "IsInf"};
// Operators whose results have the kind of their operands.
constexpr std::string_view kKeep[] = {
    "Flatten",    "Identity",  "Transpose",    "Concat",       "Where",   "Add",  "Sub",  "Mul",
    "Neg",        "Abs",       "Max",          "Min",          "Sum",     "Sign", "Clip", "Relu",
    "Keep",       "Drop",      "DepthToSpace", "SpaceToDepth", "Choose",  "Div",  "Mod",  "Pow",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor",   "BitwiseNot",   "BitShift"};
// Operators that ONNX computes in integers for integers: without fractions.
constexpr std::string_view kWithFractions[] = {"Div",      "Pow",          "ReduceMean",
                                               "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"};

bool is_among(std::string_view type, std::span<const std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

// Operators that take their elements from the first input; others say which, or how many.
constexpr std::string_view kKeepFirst[] = {
    "Gather",    "GatherElements", "GatherND",  "ScatterND", "ScatterElements",
    "Reshape",   "Squeeze",        "Unsqueeze", "Slice",     "Split",
    "Tile",      "Expand",         "Pad",       "ReduceSum", "ReduceMax",
    "ReduceMin", "ReduceProd",     "CumSum",    "Trilu"};

KindOfResults kind_of_inputs(const Node& node) {
  const std::string_view type = node.proto.op_type();
  const bool chooses = type == "Where" || type == "Choose";
  const bool keeps_part = type == "Keep" || type == "Drop";
  const size_t first = chooses ? 1 : 0;
  const size_t end = keeps_part || is_among(type, kKeepFirst) ? 1 : node.inputs();
  KindOfResults result;
  // Rows of a table of bytes, which are exact anywhere.
  if (end == 1 && node.constant(0) != nullptr && is_byte_type(node.constant(0)->type))
    return {ValueKind::integer, node.constant(0)->type};
  for (size_t i = first; i < end; ++i) {
    if (!node.has(i)) continue;
    if (const Constant* constant = node.constant(i)) {
      // Elements of constants are what the result may have.
      if ((chooses || keeps_part) && constant->is_integer())
        result = constant->type == onnx::TensorProto::BOOL
                     ? KindOfResults{ValueKind::boolean}
                     : KindOfResults{ValueKind::integer, constant->type};
      continue;
    }
    result.kind = std::max(result.kind, node.in(i).kind);
    if (node.in(i).kind == ValueKind::integer) result.integer_type = node.in(i).integer_type;
  }
  return result;
}

}  // namespace

void require_kinds(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (is_among(type, kWithFractions) && kind_of_inputs(node).kind == ValueKind::integer)
    node.refuse("type", "integers",
                "on integers, whose fractions ONNX drops; put a Cast to floats before it");
}

void require_no_lowest_pads(const Node& node) {
  const std::string& type = node.proto.op_type();
  const bool takes_them = type == "MaxPool" || type == "Pad" || type == "Shape" || type == "Size";
  for (size_t i = 0; i < node.inputs() && !takes_them; ++i)
    if (node.has(i) && !node.in(i).lowest_pads.empty())
      node.refuse(node.proto.input(static_cast<int>(i)), "padded with -inf or the lowest float",
                  "padded with a number below 1e30; only a MaxPool has such pads itself");
}

KindOfResults kind_of_results(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (is_among(type, kBoolean)) return {ValueKind::boolean};
  if (type == "Cast") {
    const auto to = static_cast<int>(node.integer("to", 0));
    if (to == onnx::TensorProto::BOOL) return {ValueKind::boolean};
    return is_integer_type(to) ? KindOfResults{ValueKind::integer, to} : KindOfResults{};
  }
  if (type == "AsIntegers") return {ValueKind::integer, static_cast<int>(node.integer("type", 0))};
  return is_among(type, kKeep) || is_among(type, kKeepFirst) ? kind_of_inputs(node)
                                                             : KindOfResults{};
}

bool widen(Node& node) {
  constexpr std::string_view kWrap[] = {"Add", "Sub", "Mul", "Neg", "Abs", "Sum"};
  // Differences of operands tell which is greater, and must not wrap.
  constexpr std::string_view kCompare[] = {"Equal", "Greater", "Less", "GreaterOrEqual",
                                           "LessOrEqual"};
  const std::string& type = node.proto.op_type();
  const int narrow = kind_of_inputs(node).integer_type;
  const bool compares = is_among(type, kCompare);
  if ((!is_among(type, kWrap) && !compares) || narrow == 0 || bits_of(narrow) > 16) return false;
  Expansion made(node);
  const auto cast = [&](const std::string& x, int to) {
    return made.add("Cast", {x}, {{"to", int64_t{to}}});
  };
  std::vector<std::string> operands;
  for (size_t i = 0; i < node.inputs(); ++i)
    operands.push_back(cast(made.in(i), onnx::TensorProto::INT32));
  const std::string result = made.add(type.c_str(), operands);
  made.set(compares ? result : cast(result, narrow));
  return true;
}

}  // namespace tputwin::net::onnx_reader

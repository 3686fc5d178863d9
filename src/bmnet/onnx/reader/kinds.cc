// Kinds of tensors, declared in kinds.h.
#include "bmnet/onnx/reader/kinds.h"

#include <algorithm>

namespace tputwin::net::onnx_reader {
namespace {

constexpr std::string_view kBoolean[] = {"Equal",       "Greater", "Less", "GreaterOrEqual",
                                         "LessOrEqual", "And",     "Or",   "Xor",
                                         "Not",         "IsNaN",   "IsInf"};
// Operators whose results have the kind of their operands.
constexpr std::string_view kKeep[] = {
    "Reshape", "Flatten", "Squeeze",      "Unsqueeze",    "Identity",  "Transpose", "Slice",
    "Split",   "Gather",  "Concat",       "Tile",         "Expand",    "Pad",       "Where",
    "Add",     "Sub",     "Mul",          "Neg",          "Abs",       "Max",       "Min",
    "Sum",     "Sign",    "DepthToSpace", "SpaceToDepth", "ReduceSum", "ReduceMax", "ReduceMin",
    "CumSum",  "Trilu",   "Clip",         "Relu",         "Keep",      "Drop",      "ReduceProd"};
// Operators that ONNX computes in integers for integers: without fractions.
constexpr std::string_view kWithFractions[] = {"Div",      "Pow",          "ReduceMean",
                                               "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"};

bool is_among(std::string_view type, std::span<const std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

ValueKind kind_of_inputs(const Node& node) {
  ValueKind kind = ValueKind::real;
  for (size_t i = 0; i < node.inputs(); ++i)
    if (node.has(i) && node.in(i).constant == nullptr) kind = std::max(kind, node.in(i).kind);
  return kind;
}

}  // namespace

void require_kinds(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (is_among(type, kWithFractions) && kind_of_inputs(node) == ValueKind::integer)
    node.refuse("type", "integers",
                "on integers, whose fractions ONNX drops; put a Cast to floats before it");
}

ValueKind kind_of_results(const Node& node) {
  const std::string_view type = node.proto.op_type();
  if (is_among(type, kBoolean)) return ValueKind::boolean;
  if (type == "Cast") {
    const auto to = static_cast<int>(node.integer("to", 0));
    if (to == onnx::TensorProto::BOOL) return ValueKind::boolean;
    return is_integer_type(to) ? ValueKind::integer : ValueKind::real;
  }
  return is_among(type, kKeep) ? kind_of_inputs(node) : ValueKind::real;
}

}  // namespace tputwin::net::onnx_reader

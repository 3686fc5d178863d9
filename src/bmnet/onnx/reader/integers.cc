// Operators that accept integers of ONNX that are floats in the net.
#include "bmnet/onnx/reader/integers.h"

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

using Name = std::string_view;

constexpr Name kTakeQuantized[] = {"DequantizeLinear",
                                   "Cast",
                                   "QuantizeLinear",
                                   "MaxPool",
                                   "Reshape",
                                   "Transpose",
                                   "Flatten",
                                   "Squeeze",
                                   "Unsqueeze",
                                   "Identity",
                                   "Slice",
                                   "QLinearConv",
                                   "QLinearMatMul",
                                   "Shape",
                                   "Clip",
                                   "Concat",
                                   "Split",
                                   "Gather",
                                   "Tile",
                                   "DepthToSpace",
                                   "SpaceToDepth",
                                   "Expand",
                                   "Pad",
                                   "Resize",
                                   "Fill",
                                   "Cut"};
// Operators that do not change values: positions must be exact.
constexpr Name kTakePositions[] = {"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                   "Identity", "Cast",    "Shape"};
// Operators that move pixels or convert them to real values.
constexpr Name kTakeBytes[] = {
    "Reshape",     "Flatten",       "Squeeze", "Unsqueeze",    "Identity",     "Cast",
    "Shape",       "Slice",         "Split",   "Gather",       "Concat",       "Tile",
    "Expand",      "Transpose",     "MaxPool", "DepthToSpace", "SpaceToDepth", "DequantizeLinear",
    "QLinearConv", "QLinearMatMul", "Pad"};

// Operators that compute with integers of 8 bits as with others.
constexpr Name kCompute[] = {"Add",
                             "Sub",
                             "Mul",
                             "Div",
                             "Mod",
                             "Neg",
                             "Abs",
                             "Sum",
                             "Max",
                             "Min",
                             "Clip",
                             "Relu",
                             "Equal",
                             "Greater",
                             "Less",
                             "Where",
                             "Sign",
                             "GreaterOrEqual",
                             "LessOrEqual",
                             "ReduceMax",
                             "ReduceMin",
                             "ArgMax",
                             "ArgMin",
                             "TopK",
                             "ConvInteger",
                             "MatMulInteger",
                             "GatherElements",
                             "GatherND",
                             "ScatterElements",
                             "ScatterND",
                             "BitwiseAnd",
                             "BitwiseOr",
                             "BitwiseXor",
                             "BitwiseNot",
                             "BitShift"};

bool is_one_of(Name name, std::span<const Name> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_nearest(const Node& node) {
  return node.proto.op_type() == "Resize" && node.text("mode", "nearest") == "nearest";
}

// Returns true if the node takes its first input's real numbers for the integers: it has their
// scale and zero point, or none.
bool takes_scale(const Node& node) {
  const Name type = node.proto.op_type();
  if (type != "DequantizeLinear" && type != "QLinearConv" && type != "QLinearMatMul") return true;
  const Constant *scale = node.constant(1), *zero = node.constant(2);
  const Quantization& q = *node.in(0).quantization;
  return scale != nullptr && scale->size() == 1 && static_cast<float>(scale->at(0)) == q.scale &&
         (node.has(2) ? zero != nullptr && zero->size() == 1 && zero->whole()[0] == q.zero
                      : q.zero == 0);
}

// Returns true if a Concat joins integers of one scale only.
bool joins_one_scale(const Node& node) {
  for (size_t i = 0; i < node.inputs(); ++i)
    if (!node.has(i) || node.in(i).quantization != node.in(0).quantization) return false;
  return true;
}

// Returns true if the operator computes with the integers of an input, and not with what they
// stand for.
bool needs_integers(const Node& node, size_t input) {
  const Value& x = node.in(input);
  const Name type = node.proto.op_type();
  if (x.is_bytes) return is_one_of(type, kCompute);
  if (!x.quantization) return false;
  if (type == "Concat") return !joins_one_scale(node);
  if (is_one_of(type, kTakeQuantized)) return input == 0 && !takes_scale(node);
  return is_one_of(type, kCompute);
}

int type_of(const Value& x) {
  if (x.quantization) return x.quantization->type;
  return x.is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
}

}  // namespace

bool compute_integers(Node& node) {
  bool any = false;
  for (size_t i = 0; i < node.inputs(); ++i) any = any || (node.has(i) && needs_integers(node, i));
  if (!any) return false;
  Expansion made(node);
  node.expansion_opset = node.opset;  // its attributes are copied
  std::vector<std::string> inputs;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const bool casts = node.has(i) && (node.in(i).is_bytes || node.in(i).quantization);
    inputs.push_back(casts ? made.add("Cast", {made.in(i)}, {{"to", int64_t{type_of(node.in(i))}}})
                           : made.in(i));
  }
  const auto count = static_cast<size_t>(node.proto.output_size());
  const std::vector<std::string> results =
      made.add_many(node.proto.op_type().c_str(), inputs, count);
  for (const auto& attribute : node.proto.attribute())
    made.copy_attribute(attribute.name().c_str());
  for (size_t i = 0; i < count; ++i) made.set(results[i], i);
  return true;
}

Integers::Integers(const Node& node) {
  // The second input of a Cut has extents only.
  const size_t inputs = node.proto.op_type() == "Cut" ? 1 : node.inputs();
  for (size_t i = 0; i < inputs; ++i) {
    if (!node.has(i)) continue;
    const Value& value = node.in(i);
    // Q operators have scales of their own; others move the integers of one scale.
    const bool is_one_scale = !quantization_ || !value.quantization ||
                              *quantization_ == *value.quantization ||
                              node.proto.op_type().starts_with("Q");
    if (!is_one_scale)
      node.refuse("scales", node.proto.input(static_cast<int>(i)),
                  "one scale and zero point for all; put a DequantizeLinear before each");
    if (value.quantization) quantization_ = value.quantization;
    positions_ = std::max(positions_, value.positions);
    is_bytes_ = is_bytes_ || value.is_bytes;
    is_signed_ = is_signed_ || value.is_signed;
  }
  const std::string_view type = node.proto.op_type();
  const bool is_real = type == "Real" && node.proto.domain() == kInternal;
  if (quantization_ && !is_real && !is_one_of(type, kTakeQuantized))
    node.refuse("type", "integers", "on quantized tensors; put a DequantizeLinear before it");
  if (is_bytes_ && !is_nearest(node) && !is_one_of(type, kTakeBytes))
    node.refuse("type", "integers", "on bytes of an input; put a Cast to floats before it");
  if (positions_ != 0 && !is_bytes_ && !is_one_of(type, kTakePositions))
    node.refuse("type", "integers", "on positions; put a Cast to floats before it");
}

void Integers::pass(Node& node) const {
  const std::string_view type = node.proto.op_type();
  const bool makes_others =
      type == "Cast" || type == "DequantizeLinear" || type == "Real" || type.starts_with("Q");
  const bool has_own = type == "Identity" || type == "Fill" || type == "Cut";
  if (makes_others || has_own) return;
  for (auto& value : node.outputs()) {
    if (!value || value->tensor.empty()) continue;
    if (positions_ != 0) value->positions = positions_;
    value->is_bytes = is_bytes_;
    value->is_signed = is_signed_;
    if (quantization_) value->quantization = quantization_;
  }
}

}  // namespace tputwin::net::onnx_reader

// Operators that accept integers of ONNX that are floats in the net.
#include "bmnet/onnx/reader/integers.h"

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

using Name = std::string_view;

constexpr Name kTakeQuantized[] = {"DequantizeLinear",
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
                                   "Resize"};
// Operators that do not change values: positions must be exact.
constexpr Name kTakePositions[] = {"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                   "Identity", "Cast",    "Shape"};
// Operators that move pixels or convert them to real values.
constexpr Name kTakeBytes[] = {
    "Reshape",     "Flatten",       "Squeeze", "Unsqueeze",    "Identity",     "Cast",
    "Shape",       "Slice",         "Split",   "Gather",       "Concat",       "Tile",
    "Expand",      "Transpose",     "MaxPool", "DepthToSpace", "SpaceToDepth", "DequantizeLinear",
    "QLinearConv", "QLinearMatMul", "Pad"};

// Operators that compute with bytes as with other integers.
constexpr Name kCompute[] = {"Add",         "Sub",       "Mul",      "Neg",  "Abs",
                             "Sum",         "Max",       "Min",      "Clip", "Equal",
                             "Greater",     "Less",      "Where",    "Sign", "GreaterOrEqual",
                             "LessOrEqual", "ReduceMax", "ReduceMin"};

bool is_one_of(Name name, std::span<const Name> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool compute_bytes(Node& node) {
  const auto is_bytes = [&](size_t i) { return node.has(i) && node.in(i).is_bytes; };
  bool any = false;
  for (size_t i = 0; i < node.inputs(); ++i) any = any || is_bytes(i);
  if (!any || !is_one_of(node.proto.op_type(), kCompute)) return false;
  Expansion made(node);
  node.expansion_opset = node.opset;  // its attributes are copied
  std::vector<std::string> inputs;
  for (size_t i = 0; i < node.inputs(); ++i) {
    if (!is_bytes(i)) {
      inputs.push_back(made.in(i));
      continue;
    }
    const int type = node.in(i).is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    inputs.push_back(made.add("Cast", {made.in(i)}, {{"to", int64_t{type}}}));
  }
  const std::string y = made.add(node.proto.op_type().c_str(), inputs);
  for (const auto& attribute : node.proto.attribute())
    made.copy_attribute(attribute.name().c_str());
  made.set(y);
  return true;
}

Integers::Integers(const Node& node) {
  for (size_t i = 0; i < node.inputs(); ++i) {
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
  if (quantization_ && !is_one_of(type, kTakeQuantized))
    node.refuse("type", "integers", "on quantized tensors; put a DequantizeLinear before it");
  const bool is_nearest = type == "Resize" && node.text("mode", "nearest") == "nearest";
  if (is_bytes_ && !is_nearest && !is_one_of(type, kTakeBytes))
    node.refuse("type", "integers", "on bytes of an input; put a Cast to floats before it");
  if (positions_ != 0 && !is_bytes_ && !is_one_of(type, kTakePositions))
    node.refuse("type", "integers", "on positions; put a Cast to floats before it");
}

void Integers::pass(Node& node) const {
  const std::string_view type = node.proto.op_type();
  const bool makes_others = type == "Cast" || type == "DequantizeLinear" || type.starts_with("Q");
  if (makes_others || type == "Identity") return;
  for (auto& value : node.outputs()) {
    if (!value || value->tensor.empty()) continue;
    if (positions_ != 0) value->positions = positions_;
    value->is_bytes = is_bytes_;
    value->is_signed = is_signed_;
    if (quantization_) value->quantization = quantization_;
  }
}

}  // namespace tputwin::net::onnx_reader

// Operators that accept integers of ONNX that are floats in the net.
#include "bmnet/onnx/reader/integers.h"

#include <algorithm>

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

bool is_one_of(Name name, std::span<const Name> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

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

// Scales of quantized tensors: of the whole tensor, of an axis, or of blocks.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Returns, for each element, the index of its scale: one for all, one for each index of the axis,
// or one for each block of `block` elements along the axis.
std::vector<size_t> scale_of_each(const Node& node, const Dims& dims, const Constant& scale,
                                  const Constant* zero, size_t axis, int64_t block);
// Returns the same by the node's attributes.
std::vector<size_t> scale_of_each(const Node& node, const Dims& dims, const Constant& scale,
                                  const Constant* zero);
// Returns the type of integers that have no zero point. From opset 21 on it may be given.
int type_without_zero(const Node& node, int otherwise);
// Returns true if a QuantizeLinear or DequantizeLinear has one constant scale for the tensor.
bool has_one_scale(const Node& node);
// Expands a QuantizeLinear with scales that are computed, or of an axis or blocks: its result are
// the integers round(x / scale) + zero.
void quantize_by_scales(Node& node);
// Expands a DequantizeLinear of such integers: (x - zero) * scale.
void dequantize_by_scales(Node& node);

}  // namespace tputwin::net::onnx_reader

// What an operation makes of its inputs: shapes, and whether parameters and weights go together.
// For operations that come as such (caffe/operation.cc, onnx), not through an importer of Caffe's
// types.
#pragma once

#include <span>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Shapes of the tops of `op`, from its type, parameters and input_shape; of tg_convolution,
// tg_reshape, tg_slice and tg_crop from output_shape as well. Sizes of data types are set.
// Operations that make coordinates or have code of their own are refused.
Result<std::vector<TensorShape>> infer_shapes(const TensorOp& op);

// Returns true if a coefficient of the layer may have the value: finite, or the minus infinity of a
// mask that a softmax will add.
bool is_allowed_weight(const TensorOp& op, float value);
// The blobs are those that the operation has, of the right number of allowed values.
Status check_blobs(const TensorOp& op, std::span<const Blob> blobs);

}  // namespace tputwin::net

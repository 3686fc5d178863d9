// Shape inference, and checks that parameters and weights match. Used for operations that are read
// as IR operations (caffe/operation.cc, onnx), not made by an importer of a Caffe type.
#pragma once

#include <span>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns the shapes of the tops of `op`, with sizes of data types set.
// Uses its type, parameters and input_shape; for tg_convolution, tg_reshape, tg_slice and tg_crop
// also output_shape. Refuses operations that make coordinates or have code of their own.
Result<std::vector<TensorShape>> infer_shapes(const TensorOp& op);

// Returns true if a coefficient of the layer may have the value: finite, or the minus infinity of a
// mask that a softmax will add.
bool is_allowed_weight(const TensorOp& op, float value);
// The blobs are those that the operation has, of the right number of allowed values.
Status check_blobs(const TensorOp& op, std::span<const Blob> blobs);

}  // namespace tputwin::net

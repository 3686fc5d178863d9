// Float bodies of the operations of the TPU, made once per op from parameters and weights.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Outputs have their shapes and room for their values.
using FloatKernel =
    std::function<Status(std::span<const Blob* const> inputs, std::span<Blob* const> outputs)>;

// Each returns an empty kernel for types that are not its own.
Result<FloatKernel> make_float_convolution(const TensorOp& op, const std::vector<Blob>& blobs);
Result<FloatKernel> make_float_inner_product(const TensorOp& op, const std::vector<Blob>& blobs);
Result<FloatKernel> make_float_pooling(const TensorOp& op);
Result<FloatKernel> make_float_elementwise(const TensorOp& op, const std::vector<Blob>& blobs);
Result<FloatKernel> make_float_normalisation(const TensorOp& op, const std::vector<Blob>& blobs);
Result<FloatKernel> make_float_move(const TensorOp& op);

// Blob `index` of the layer's weights has `values` values.
Status check_blob(const TensorOp& op, const std::vector<Blob>& blobs, size_t index, int64_t values);

// A shape around an axis: outer x axis x inner.
struct AroundAxis {
  int64_t outer = 1, axis = 1, inner = 1;
};
AroundAxis around_axis(const TensorShape& shape, int axis);

}  // namespace tputwin::net

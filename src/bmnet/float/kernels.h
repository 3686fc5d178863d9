// Float kernels of operations of the TPU, made once per op from parameters and weights.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Outputs must have their shapes, and buffers for their values.
using FloatKernel =
    std::function<Status(std::span<const Blob* const> inputs, std::span<Blob* const> outputs)>;

// Makes the float kernel in column `formula` of ir/ops.def. Returns an empty function if no float
// kernel supports the parameters.
#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  Result<FloatKernel> make_float_##formula(const TensorOp& op, const std::vector<Blob>& blobs);
#include "bmnet/ir/ops.def"

// Makes the kernel of an operator of the host: it passes the weights after the inputs, as plugins
// do with coefficients.
Result<FloatKernel> make_float_host(const TensorOp& op, const std::vector<Blob>& blobs);

// Makes the kernel of an operator of docs/host-operators.md. Results get the shapes that they have
// at run time.
Result<FloatKernel> make_float_host_operator(const TensorOp& op, const std::vector<Blob>& blobs);

// Checks that blob `index` of the layer's weights has `values` values.
Status check_blob(const TensorOp& op, const std::vector<Blob>& blobs, size_t index, int64_t values);

// Sizes of a shape around an axis: outer x axis x inner.
struct AroundAxis {
  int64_t outer = 1, axis = 1, inner = 1;
};
AroundAxis around_axis(const TensorShape& shape, int axis);

}  // namespace tputwin::net

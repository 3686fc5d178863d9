// An operator on the bytes of tensors: to floats, the operator, back to bytes.
#pragma once

#include <cstdint>
#include <span>

#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::net {

// int8 if the shape has elements of one byte, else floats.
struct ByteTensor {
  const ::bmnet::BlobShape& shape;
  std::span<uint8_t> bytes;
  float threshold;  // of int8
};

// Coefficients are inputs behind the inputs.
Status run_on_bytes(const ::bmnet::LayerParameter& op, std::span<const ByteTensor> inputs,
                    std::span<const ConstTensor> coefficients, std::span<const ByteTensor> outputs);

// As a plugin runs it: operands at the host addresses in the TensorOp, thresholds from it.
Status run_plugin(const ::bmnet::LayerParameter& op);

}  // namespace tputwin::net

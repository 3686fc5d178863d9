// An operator on bytes of tensors: converts them to floats, runs the operator, and converts back.
#pragma once

#include <cstdint>
#include <span>

#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::net {

// int8 if the shape has elements of one byte, else floats.
struct ByteTensor {
  const ::bmnet::BlobShape& shape;
  std::span<uint8_t> bytes;
  float threshold;  // for int8 only
};

// Runs an operator. The coefficients are inputs after `inputs`.
Status run_on_bytes(const ::bmnet::LayerParameter& op, std::span<const ByteTensor> inputs,
                    std::span<const ConstTensor> coefficients, std::span<const ByteTensor> outputs);

// Runs an operator as a plugin. `op` has the host addresses of the operands, and the thresholds.
Status run_plugin(const ::bmnet::LayerParameter& op);

}  // namespace tputwin::net

// Float bodies of the operators that run on the host: used by the plugins, by float execution and
// by the int8 interpreter alike.
#pragma once

#include <bmnet/bmnet.pb.h>

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::net {

// View of a tensor; extents as in its TensorShape.
struct ConstTensor {
  std::vector<int64_t> shape;
  const float* data;
};
struct MutableTensor {
  std::vector<int64_t> shape;
  float* data;
};

// "tg_softmax" -> "Softmax", the plugin's file name without ".so"; empty for types of the TPU.
std::string_view cpu_plugin_name(std::string_view ir_type);
// Detections, priors, proposals and the like are coordinates: their tensors hold floats in the int8
// net too (data_type_size 4). False for Softmax, Interp, Normalize ... whose results are int8.
bool has_float_output(std::string_view ir_type);
// Of an IR type or a plugin: values of its inputs are no matter, and need not be there.
bool reads_only_shapes(std::string_view type);

// y = f(x) in float; which operator is told by op.type(), IR type or plugin name.
Status run_cpu_op(const ::bmnet::LayerParameter& op, std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs);

}  // namespace tputwin::net

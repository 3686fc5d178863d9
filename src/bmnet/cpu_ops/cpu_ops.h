// Float implementations of the operators that run on the host. Plugins, float execution and the
// int8 interpreter use them.
#pragma once

#include <bmnet/bmnet.pb.h>

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::net {

// View of a tensor. The extents are those of its TensorShape.
struct ConstTensor {
  std::vector<int64_t> shape;
  const float* data;
};
struct MutableTensor {
  std::vector<int64_t> shape;
  float* data;
};

// Returns the plugin's file name without ".so", such as "Softmax" for "tg_softmax"; empty for types
// that the host does not compute.
std::string_view cpu_plugin_name(std::string_view ir_type);
// Returns true if the results are coordinates, such as detections, priors and proposals. Their
// tensors hold floats in the int8 net, too (data_type_size 4). Returns false for Softmax, Interp,
// Normalize and others, whose results are int8.
bool has_float_output(std::string_view ir_type);
// Returns true if the IR type or plugin reads only the shapes of its inputs. Their values need not
// exist.
bool reads_only_shapes(std::string_view type);

// Computes y = f(x) in float. op.type(), an IR type or a plugin name, selects the operator.
Status run_cpu_op(const ::bmnet::LayerParameter& op, std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs);

}  // namespace tputwin::net

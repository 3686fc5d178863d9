// CPU operators: bytes to floats, the operator, floats to bytes.
#include <cstring>

#include "bmnet/cpu_ops/cpu_ops.h"
#include "bmnet/cpu_ops/quantise.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
namespace {

float threshold(const std::vector<float>& thresholds, size_t i) {
  return i < thresholds.size() ? thresholds[i] : 0.0F;
}

}  // namespace

Status cpu_operator(const Layer& layer) {
  std::vector<std::vector<float>> in, out;
  std::vector<ConstTensor> inputs;
  std::vector<MutableTensor> outputs;
  in.reserve(layer.inputs.size());
  out.reserve(layer.outputs.size());
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const TensorShape& shape = layer.op.input_shape(static_cast<int>(i));
    in.push_back(dequantise(layer.inputs[i], shape.data_type_size() == 1,
                            threshold(layer.integers.threshold_x, i)));
    inputs.push_back({dims(shape), in.back().data()});
  }
  for (const Blob& blob : layer.blobs) inputs.push_back({blob.shape, blob.data.data()});
  for (int i = 0; i < layer.op.output_shape_size(); ++i) {
    const TensorShape& shape = layer.op.output_shape(i);
    out.emplace_back(static_cast<size_t>(count(shape)));
    outputs.push_back({dims(shape), out.back().data()});
  }
  TW_RETURN_IF_ERROR(run_cpu_op(layer.op, inputs, outputs));
  for (size_t i = 0; i < layer.outputs.size(); ++i)
    quantise(out[i], layer.op.output_shape(static_cast<int>(i)).data_type_size() == 1,
             threshold(layer.integers.threshold_y, i), layer.outputs[i]);
  return {};
}

}  // namespace tputwin::net::reference

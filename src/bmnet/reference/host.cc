// CPU operators, executed as in their plugins.
#include "bmnet/cpu_ops/plugin.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
namespace {

float threshold(const std::vector<float>& thresholds, size_t i) {
  return i < thresholds.size() ? thresholds[i] : 0.0F;
}

}  // namespace

Status cpu_operator(const Layer& layer) {
  // Copies of the inputs: ByteTensor needs writable bytes.
  std::vector<std::vector<uint8_t>> copies;
  std::vector<ByteTensor> inputs, outputs;
  std::vector<ConstTensor> coefficients;
  copies.reserve(layer.inputs.size());
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    auto& copy = copies.emplace_back(layer.inputs[i].begin(), layer.inputs[i].end());
    inputs.push_back({layer.op.input_shape(static_cast<int>(i)), copy,
                      threshold(layer.integers.threshold_x, i)});
  }
  for (const Blob& blob : layer.blobs) coefficients.push_back({blob.shape, blob.data.data()});
  for (size_t i = 0; i < layer.outputs.size(); ++i)
    outputs.push_back({layer.op.output_shape(static_cast<int>(i)), layer.outputs[i],
                       threshold(layer.integers.threshold_y, i)});
  return run_on_bytes(layer.op, inputs, coefficients, outputs);
}

}  // namespace tputwin::net::reference

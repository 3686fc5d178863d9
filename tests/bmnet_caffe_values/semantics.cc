// Runs a net layer by layer.
#include "bmnet_caffe_values/semantics.h"

#include <stdexcept>

namespace tputwin::net::testing {

Tensor::Tensor(Shape extents) : shape(std::move(extents)) {
  data.resize(static_cast<size_t>(count()));
}

int64_t Tensor::count(int64_t first, int64_t end) const {
  int64_t product = 1;
  for (int64_t i = first; i < end; ++i) product *= shape[static_cast<size_t>(i)];
  return product;
}

Floats blob_of(const Layer& layer, int index) {
  const auto& data = layer.blobs(index).data();
  return {data.begin(), data.end()};
}

Tensors run_layer(const Layer& layer, const Tensors& in) {
  static const LayerFunctions functions = [] {
    LayerFunctions all;
    for (LayerFunctions some :
         {window_layers(), value_layers(), statistics_layers(), move_layers(), box_layers()})
      all.merge(some);
    return all;
  }();
  const auto function = functions.find(layer.type());
  if (function == functions.end()) throw std::runtime_error("no semantics of " + layer.type());
  return function->second(layer, in);
}

std::map<std::string, Tensor> run_caffe(const caffe::NetParameter& net, const Values& inputs) {
  std::map<std::string, Tensor> blobs;
  for (const Layer& layer : net.layer()) {
    if (layer.type() == "Input") {
      for (int i = 0; i < layer.top_size(); ++i) {
        const auto& shape = layer.input_param().shape(i).dim();
        Tensor& tensor = blobs[layer.top(i)];
        tensor.shape.assign(shape.begin(), shape.end());
        tensor.data = inputs.at(layer.top(i));
      }
      continue;
    }
    Tensors in;
    for (const std::string& bottom : layer.bottom()) in.push_back(blobs.at(bottom));
    const Tensors out = run_layer(layer, in);
    for (int i = 0; i < layer.top_size(); ++i) blobs[layer.top(i)] = out.at(static_cast<size_t>(i));
  }
  return blobs;
}

}  // namespace tputwin::net::testing

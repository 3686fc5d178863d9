// Caffe layers to ONNX nodes.
#include "bmnet_onnx/export.h"

#include <map>
#include <stdexcept>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

using Layer = net::caffe::LayerParameter;

class Exporter {
 public:
  explicit Exporter(int64_t opset) : builder_(opset), opset_(opset) {}

  onnx::ModelProto run(const net::caffe::NetParameter& net) {
    builder_.model.mutable_graph()->set_name(net.name());
    for (const Layer& layer : net.layer()) {
      if (layer.type() == "Input")
        input(layer);
      else
        add(layer);
    }
    for (const auto& [blob, tensor] : now_)
      if (!read_.contains(tensor)) builder_.output(tensor);
    return builder_.model;
  }

 private:
  void input(const Layer& layer) {
    const auto& dims = layer.input_param().shape(0).dim();
    builder_.input(layer.top(0), {-1, dims.Get(1), dims.Get(2), dims.Get(3)});
    now_[layer.top(0)] = layer.top(0);
  }

  std::string blob(const Layer& layer, int index, std::vector<int64_t> dims) {
    const auto& blob = layer.blobs(index);
    if (dims.empty()) dims = {blob.data_size()};
    const std::string name = layer.name() + ".weight" + std::to_string(index);
    builder_.weights(name, dims, {blob.data().begin(), blob.data().end()});
    return name;
  }

  std::vector<int64_t> dims_of(const Layer& layer, int index) {
    const auto& dims = layer.blobs(index).shape().dim();
    return {dims.begin(), dims.end()};
  }

  onnx::NodeProto& node(const Layer& layer, const std::string& type,
                        std::vector<std::string> weights = {}) {
    std::vector<std::string> inputs;
    for (const std::string& bottom : layer.bottom()) {
      inputs.push_back(now_.at(bottom));
      read_.insert(inputs.back());
    }
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    std::string name = layer.top(0);
    while (!made_.insert(name).second) name += "'";
    onnx::NodeProto& node = builder_.node(type, inputs, {name});
    node.set_name(layer.name());
    now_[layer.top(0)] = name;
    return node;
  }

  void convolution(const Layer& layer) {
    const auto& p = layer.convolution_param();
    std::vector<std::string> weights{blob(layer, 0, dims_of(layer, 0))};
    if (p.bias_term()) weights.push_back(blob(layer, 1, {}));
    auto& made = node(layer, "Conv", weights);
    const auto pair = [](const auto& list, int64_t otherwise) {
      const int64_t h = list.empty() ? otherwise : list.Get(0);
      return std::vector<int64_t>{h, list.size() > 1 ? list.Get(1) : h};
    };
    const auto pad = pair(p.pad(), 0);
    builder_.set(made, "strides", pair(p.stride(), 1));
    builder_.set(made, "pads", std::vector<int64_t>{pad[0], pad[1], pad[0], pad[1]});
    builder_.set(made, "group", int64_t{p.group()});
  }

  // mean and variance are divided by the factor; scale is 1 and bias 0, because Scale follows
  void batch_norm(const Layer& layer) {
    const auto count = static_cast<size_t>(layer.blobs(0).data_size());
    const float factor = layer.blobs(2).data(0) == 0 ? 0 : 1 / layer.blobs(2).data(0);
    const auto constant = [&](const char* what, float value) {
      builder_.weights(layer.name() + what, {static_cast<int64_t>(count)},
                       std::vector<float>(count, value));
      return layer.name() + what;
    };
    const auto divided = [&](const char* what, int index) {
      std::vector<float> values(layer.blobs(index).data().begin(), layer.blobs(index).data().end());
      for (float& v : values) v *= factor;
      builder_.weights(layer.name() + what, {static_cast<int64_t>(count)}, values);
      return layer.name() + what;
    };
    auto& made = node(
        layer, "BatchNormalization",
        {constant(".one", 1), constant(".zero", 0), divided(".mean", 0), divided(".variance", 1)});
    builder_.set(made, "epsilon", layer.batch_norm_param().eps());
  }

  void scale(const Layer& layer) {
    const int64_t channels = layer.blobs(0).data_size();
    Layer first = layer;
    node(first, "Mul", {blob(layer, 0, {1, channels, 1, 1})});
    if (!layer.scale_param().bias_term()) return;
    first.set_name(layer.name() + ".bias");
    first.clear_bottom();
    first.add_bottom(layer.top(0));
    node(first, "Add", {blob(layer, 1, {1, channels, 1, 1})});
  }

  void pooling(const Layer& layer) {
    const auto& p = layer.pooling_param();
    const bool max = p.pool() == net::caffe::PoolingParameter::MAX;
    if (p.global_pooling()) {
      node(layer, max ? "GlobalMaxPool" : "GlobalAveragePool");
      return;
    }
    auto& made = node(layer, max ? "MaxPool" : "AveragePool");
    const auto both = [](int64_t v) { return std::vector<int64_t>{v, v}; };
    builder_.set(made, "kernel_shape", both(p.kernel_size()));
    builder_.set(made, "strides", both(p.stride()));
    builder_.set(made, "pads", std::vector<int64_t>(4, p.pad()));
    if (opset_ >= 10) builder_.set(made, "ceil_mode", int64_t{1});
    if (!max) builder_.set(made, "count_include_pad", int64_t{1});
  }

  void inner_product(const Layer& layer) {
    Layer flat;
    flat.set_name(layer.name() + ".flat");
    flat.add_bottom(layer.bottom(0));
    flat.add_top(layer.name() + ".flat");
    node(flat, "Flatten");
    Layer product = layer;
    product.set_bottom(0, flat.top(0));
    const int64_t outputs = layer.inner_product_param().num_output();
    const int64_t length = layer.blobs(0).data_size() / outputs;
    std::vector<std::string> weights{blob(layer, 0, {outputs, length})};
    if (layer.inner_product_param().bias_term()) weights.push_back(blob(layer, 1, {}));
    builder_.set(node(product, "Gemm", weights), "transB", int64_t{1});
  }

  void add(const Layer& layer) {
    const std::string& type = layer.type();
    if (type == "Convolution" || type == "DepthwiseConvolution") return convolution(layer);
    if (type == "BatchNorm") return batch_norm(layer);
    if (type == "Scale") return scale(layer);
    if (type == "Pooling") return pooling(layer);
    if (type == "InnerProduct") return inner_product(layer);
    if (type == "ReLU")
      node(layer, "Relu");
    else if (type == "Eltwise")
      node(layer, "Add");
    else if (type == "Flatten")
      node(layer, "Flatten");
    else if (type == "Dropout")
      node(layer, "Dropout");
    else if (type == "Concat")
      builder_.set(node(layer, "Concat"), "axis", int64_t{1});
    else if (type == "Softmax")
      builder_.set(node(layer, "Softmax"), "axis", int64_t{1});
    else
      throw std::runtime_error("no ONNX for " + type);
  }

  ModelBuilder builder_;
  const int64_t opset_;
  std::map<std::string, std::string> now_;
  std::set<std::string> read_, made_;
};

}  // namespace

onnx::ModelProto to_onnx(const net::caffe::NetParameter& net, int64_t opset) {
  return Exporter(opset).run(net);
}

}  // namespace tputwin::test

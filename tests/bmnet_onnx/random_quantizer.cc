// A static quantizer like ONNX Runtime's: scales from ranges, Q and DQ around every tensor, and no
// Relu or Clip where the integers clip the same values.
#include <algorithm>
#include <cmath>

#include "bmnet_onnx/random_net.h"

namespace tputwin::test {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;
using Types = QuantizerStyle::Types;

struct Range {
  float least = 0, most = 0;
};
using Ranges = std::map<std::string, Range>;

bool is_output(const onnx::GraphProto& graph, const std::string& tensor) {
  return std::ranges::any_of(graph.output(), [&](const auto& o) { return o.name() == tensor; });
}

Result<Ranges> ranges_of(const RandomNet& net) {
  // All tensors are outputs, so that none is folded.
  onnx::ModelProto model = net.model;
  for (const NodeProto& node : net.model.graph().node())
    if (!net.unquantized.contains(node.output(0)) && !is_output(net.model.graph(), node.output(0)))
      model.mutable_graph()->add_output()->set_name(node.output(0));
  TW_ASSIGN_OR_RETURN(network, import(model));
  Ranges ranges;
  for (const Blobs& sample : net.samples) {
    Blobs all;
    TW_RETURN_IF_ERROR(run_float(network, sample, &all).status());
    for (const auto& [tensor, blob] : all)
      for (float v : blob.data) {
        Range& range = ranges[tensor];
        range.least = std::min(range.least, v);
        range.most = std::max(range.most, v);
      }
  }
  return ranges;
}

class Quantizer {
 public:
  Quantizer(const RandomNet& net, const QuantizerStyle& style, const Ranges& ranges)
      : net_(net), style_(style), ranges_(ranges), graph_(net.model.graph()) {}

  onnx::ModelProto make() {
    *builder_.model.mutable_graph()->mutable_input() = graph_.input();
    *builder_.model.mutable_graph()->mutable_output() = graph_.output();
    *builder_.model.mutable_graph()->mutable_initializer() = graph_.initializer();
    for (const auto& input : graph_.input()) {
      add_scale(input.name());
      real_[input.name()] = input.name() + "_d";
      add_pair(input.name(), input.name(), input.name() + "_d");
    }
    for (const NodeProto& node : graph_.node()) copy(node);
    return std::move(builder_.model);
  }

 private:
  const NodeProto* only_reader(const std::string& tensor) const {
    const NodeProto* found = nullptr;
    for (const NodeProto& node : graph_.node())
      for (const std::string& input : node.input())
        if (input == tensor) {
          if (found != nullptr) return nullptr;
          found = &node;
        }
    return is_output(graph_, tensor) ? nullptr : found;
  }
  static bool is_activation(const NodeProto* node) {
    return node != nullptr && (node->op_type() == "Relu" || node->op_type() == "Clip");
  }
  // Returns true for an activation that quantization also computes: its result's least value is 0.
  bool is_removed(const NodeProto* node) const {
    return is_activation(node) && style_.removes_activations && style_.types != Types::symmetric &&
           only_reader(node->input(0)) == node && is_quantized(node->output(0));
  }
  bool is_quantized(const std::string& tensor) const {
    return !net_.unquantized.contains(tensor) && !is_activation(only_reader(tensor));
  }

  // ---- Scales ----

  float scale(const std::string& tensor) const {
    const Range range = ranges_.contains(tensor) ? ranges_.at(tensor) : Range{};
    const float scale = style_.types == Types::symmetric ? std::max(-range.least, range.most) / 127
                                                         : (range.most - range.least) / 255;
    return scale > 0 ? scale : 1e-3f;
  }
  void add_scale(const std::string& tensor) {
    const float least = ranges_.contains(tensor) ? ranges_.at(tensor).least : 0;
    const auto steps = std::lround(-least / scale(tensor));
    builder_.weights(tensor + "_s", {}, {scale(tensor)});
    const int64_t zero = style_.types == Types::symmetric ? 0
                         : style_.types == Types::int8    ? steps - 128
                                                          : steps;
    builder_.integers(tensor + "_z", {}, {zero},
                      style_.types == Types::uint8 ? TensorProto::UINT8 : TensorProto::INT8);
  }
  void add_dequantize(const std::string& tensor, const std::string& to) {
    builder_.node("DequantizeLinear", {tensor + "_q", tensor + "_s", tensor + "_z"}, {to});
    integers_.insert(tensor);
  }
  void add_pair(const std::string& tensor, const std::string& from, const std::string& to) {
    builder_.node("QuantizeLinear", {from, tensor + "_s", tensor + "_z"}, {tensor + "_q"});
    add_dequantize(tensor, to);
  }

  // ---- Nodes ----

  std::string real(const std::string& tensor) const {
    const auto found = real_.find(tensor);
    return found == real_.end() ? tensor : found->second;
  }

  void copy(const NodeProto& node) {
    if (is_removed(&node)) return;
    std::string result = node.output(0);
    if (const NodeProto* reader = only_reader(result); is_removed(reader))
      result = reader->output(0);
    const bool quantized = is_quantized(result);
    if (quantized) add_scale(result);
    if (quantized && style_.operators && node.op_type() == "Conv" &&
        integers_.contains(node.input(0)))
      return convolution(node, result);
    NodeProto& own = *builder_.model.mutable_graph()->add_node();
    own = node;
    for (std::string& input : *own.mutable_input()) input = real(input);
    own.set_output(0, quantized ? result + "_raw" : result);
    if (quantized) add_pair(result, result + "_raw", result);
  }

  const TensorProto& weights(const std::string& name) const {
    return *std::ranges::find_if(graph_.initializer(),
                                 [&](const auto& tensor) { return tensor.name() == name; });
  }

  void convolution(const NodeProto& node, const std::string& result) {
    const TensorProto &w = weights(node.input(1)), &b = weights(node.input(2));
    const std::string x = node.input(0), at = result + "_";
    float largest = 0;
    for (float v : w.float_data()) largest = std::max(largest, std::fabs(v));
    const float step = largest / 127;
    std::vector<int64_t> integers, biases;
    for (float v : w.float_data()) integers.push_back(std::lround(v / step));
    for (float v : b.float_data()) biases.push_back(std::lround(v / (step * scale(x))));
    builder_.integers(at + "w", {w.dims().begin(), w.dims().end()}, integers, TensorProto::INT8);
    builder_.weights(at + "ws", {}, {step});
    builder_.integers(at + "wz", {}, {0}, TensorProto::INT8);
    builder_.integers(at + "b", {b.dims().begin(), b.dims().end()}, biases, TensorProto::INT32);
    auto& own = builder_.node("QLinearConv",
                              {x + "_q", x + "_s", x + "_z", at + "w", at + "ws", at + "wz",
                               result + "_s", result + "_z", at + "b"},
                              {result + "_q"});
    *own.mutable_attribute() = node.attribute();
    add_dequantize(result, result);
  }

  const RandomNet& net_;
  const QuantizerStyle& style_;
  const Ranges& ranges_;
  const onnx::GraphProto& graph_;
  ModelBuilder builder_{13};
  std::map<std::string, std::string> real_;
  std::set<std::string> integers_;  // tensors that have integers
};

}  // namespace

Result<onnx::ModelProto> quantized_model(const RandomNet& net, const QuantizerStyle& style) {
  TW_ASSIGN_OR_RETURN(ranges, ranges_of(net));
  return Quantizer(net, style, ranges).make();
}

}  // namespace tputwin::test

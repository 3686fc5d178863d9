// Before the nodes: which tensors are read by more than one QuantizeLinear, or by others as well.
#include <set>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

// Nodes whose result has the elements of their first input.
bool is_view(const onnx::NodeProto& node) {
  const std::string& type = node.op_type();
  return type == "Identity" || type == "Reshape" || type == "Flatten" || type == "Squeeze" ||
         type == "Unsqueeze";
}

// Bytes of every constant of one element, by which two scales of different names compare.
std::map<std::string, std::string> constants_of(const onnx::GraphProto& graph) {
  std::map<std::string, std::string> constants;
  const auto add = [&](const std::string& name, onnx::TensorProto tensor) {
    tensor.clear_name();
    constants[name] = tensor.SerializeAsString();
  };
  for (const auto& tensor : graph.initializer())
    if (tensor.dims_size() == 0 || (tensor.dims_size() == 1 && tensor.dims(0) == 1))
      add(tensor.name(), tensor);
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute())
      if (node.op_type() == "Constant" && attribute.has_t()) add(node.output(0), attribute.t());
  return constants;
}

// Scale and zero point of a QuantizeLinear: the bytes of both where they are constants.
std::pair<std::string, std::string> parameters(
    const onnx::NodeProto& node, const std::map<std::string, std::string>& constants) {
  const auto of = [&](int input) -> std::string {
    if (input >= node.input_size()) return "";
    const auto known = constants.find(node.input(input));
    return known == constants.end() ? node.input(input) : known->second;
  };
  return {of(1), of(2)};
}

}  // namespace

std::map<std::string, QuantizedBy> quantized_readers(const onnx::GraphProto& graph,
                                                     const std::vector<bool>& needed) {
  const auto constants = constants_of(graph);
  std::map<std::string, std::string> sources;  // of views
  const auto source = [&](const std::string& tensor) {
    const auto known = sources.find(tensor);
    return known == sources.end() ? tensor : known->second;
  };
  std::map<std::string, std::set<std::pair<std::string, std::string>>> scales;
  std::set<std::string> read_otherwise;
  for (int i = 0; i < graph.node_size(); ++i) {
    const auto& node = graph.node(i);
    if (!needed[static_cast<size_t>(i)]) continue;
    for (int input = 0; input < node.input_size(); ++input) {
      const std::string from = source(node.input(input));
      if (input == 0 && is_view(node) && node.output_size() > 0)
        sources[node.output(0)] = from;
      else if (input == 0 && node.op_type() == "QuantizeLinear")
        scales[from].insert(parameters(node, constants));
      else
        read_otherwise.insert(from);
    }
  }
  for (const auto& output : graph.output()) read_otherwise.insert(source(output.name()));
  std::map<std::string, QuantizedBy> result;
  const auto classify = [&](const std::string& tensor, const std::string& from) {
    const auto found = scales.find(from);
    if (found == scales.end()) return;
    if (read_otherwise.contains(from))
      result[tensor] = QuantizedBy::some_readers;
    else if (found->second.size() > 1)
      result[tensor] = QuantizedBy::several_scales;
  };
  for (const auto& [tensor, unused] : scales) classify(tensor, tensor);
  for (const auto& [view, from] : sources) classify(view, from);
  return result;
}

}  // namespace tputwin::net::onnx_reader
